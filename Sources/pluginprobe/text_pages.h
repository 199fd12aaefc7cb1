// Code and constants of all libraries.
#pragma once

/// Reads them in, so that a page fault in a block is one of memory that the plug-in touches first.
void text_pages_touch(void);
