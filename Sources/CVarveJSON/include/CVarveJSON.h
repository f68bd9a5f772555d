#ifndef CVARVEJSON_H
#define CVARVEJSON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A parser with its memory, which it uses again for the next text.
typedef struct varve_json_parser varve_json_parser;

/// A parsed text, valid until the parser parses the next: simdjson's tape and the strings it names.
/// The format is described in simdjson's doc/tape.md.
typedef struct {
  const uint64_t *tape;
  const uint8_t *strings;
} varve_json_tape;

/// How many bytes must be readable after a text.
size_t varve_json_padding(void);

/// A new parser, or NULL.
varve_json_parser *varve_json_parser_create(void);

void varve_json_parser_destroy(varve_json_parser *parser);

/// Parses a text that is followed by readable bytes. Answers false where it is no JSON, holds an
/// integer beyond 64 bits with sign, or a name twice in an object.
int varve_json_parse(
  varve_json_parser *parser, const uint8_t *bytes, size_t count, varve_json_tape *result);

/// How far a scan over the elements of an array is.
typedef struct {
  uint64_t depth;
  uint8_t is_in_string;
  uint8_t is_escaped;
} varve_json_scan;

typedef enum {
  /// All bytes were passed over.
  varve_json_scan_end = 0,
  /// It stands at a comma between elements.
  varve_json_scan_comma = 1,
  /// It stands at the bracket that ends the array.
  varve_json_scan_close = 2,
  /// It stands at a bracket that opens one level too many.
  varve_json_scan_deep = 3,
} varve_json_scan_result;

/// Goes on over bytes from `*index`, and stops at the first comma between elements that is at or
/// after `least`, or at the array's end.
varve_json_scan_result varve_json_scan_elements(
  varve_json_scan *scan, const uint8_t *bytes, size_t count, size_t least, uint64_t most_depth,
  size_t *index);

#ifdef __cplusplus
}
#endif

#endif
