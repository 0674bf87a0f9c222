drivebay list --help >a && drivebay help list >b && cmp a b
