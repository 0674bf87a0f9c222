echo 'a text, which is surely no data base of any kind, but long enough to be one' >notes.txt
drivebay show notes.txt
