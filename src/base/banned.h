/*
 * banned.h - what is always wrong does not compile.
 *
 * The build includes it before everything else; the system's headers come first so that
 * their own declarations stay untouched.
 */
#ifndef DRIVEBAY_BASE_BANNED_H
#define DRIVEBAY_BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BANNED(name) drivebay_banned_##name

#define strcpy(to, from) BANNED(strcpy)
#define strcat(to, from) BANNED(strcat)
#define strtok(text, delimiters) BANNED(strtok)
#define sprintf(...) BANNED(sprintf)
#define vsprintf(...) BANNED(vsprintf)
#define atoi(text) BANNED(atoi)
#define atol(text) BANNED(atol)
#define atof(text) BANNED(atof)

#endif
