// The lines for the parent: a token that the plug-in does not know, a space, and an object of JSON.
#pragma once

#include "findings.h"

/// Keeps the pipe's descriptor where nothing else is, so that a plug-in that writes to small descriptors misses it.
/// Returns the new one.
int report_open(int descriptor, const char *token);
int report_descriptor(void);

enum { REPORT_NUMBER = 32 };
/// A number as JSON has it: with a point, though the plug-in may have set a locale with a comma.
void report_number(char text[REPORT_NUMBER], double value);

void report_finding(const struct finding *finding);
void report_further(unsigned long count);
/// Any other line: its kind and its fields, key and text in turn, ended by NULL. The text of a key that begins with '=', which
/// is left out, is written as it is: a number, true, false.
void report_line(const char *kind, ...);
