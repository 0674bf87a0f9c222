/* banned.h - what is always wrong does not compile. Included by the compiler's command line. */
#ifndef DRIVEBAY_BASE_BANNED_H
#define DRIVEBAY_BASE_BANNED_H

#pragma GCC poison strcpy strcat sprintf vsprintf gets strtok atoi atol atof

#endif
