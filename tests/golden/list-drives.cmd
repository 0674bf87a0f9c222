drivebay list drives | grep 983-dct-1.92tb | tr -s ' '
