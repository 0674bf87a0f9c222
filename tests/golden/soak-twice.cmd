drivebay soak --seed 1 --count 3 >a && drivebay soak --seed 1 --count 3 >b && cmp a b && cut -d: -f1 a | cut -d, -f1
