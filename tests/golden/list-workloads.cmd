drivebay list workloads | grep -E '^(4k-random-read|fleet-sql) ' | tr -s ' '
