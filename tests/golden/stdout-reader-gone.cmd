# Silent, for the reader wanted no more; status 1, for not all was written.
mkfifo pipe
exec 3<>pipe 4>pipe 3>&-
drivebay list targets >&4
