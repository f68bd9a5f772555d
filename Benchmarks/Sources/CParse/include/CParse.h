#ifndef CPARSE_H
#define CPARSE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Parses a text with simdjson alone. Answers its number of elements, or -1. As many bytes as
/// `parse_padding` says must be readable after the text.
int64_t parse_whole(const uint8_t *bytes, size_t count);

size_t parse_padding(void);

#ifdef __cplusplus
}
#endif

#endif
