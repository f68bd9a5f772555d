#include "CParse.h"

#include <simdjson.h>

size_t parse_padding(void) { return simdjson::SIMDJSON_PADDING; }

int64_t parse_whole(const uint8_t *bytes, size_t count) {
  simdjson::dom::parser parser;
  simdjson::dom::array elements;
  if (parser.parse(bytes, count, false).get(elements)) return -1;
  int64_t number = 0;
  for (auto element : elements) {
    (void)element;
    ++number;
  }
  return number;
}
