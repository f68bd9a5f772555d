#include "CVarveJSON.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#ifndef VARVE_WITHOUT_SIMDJSON
#include <simdjson.h>
#endif

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#ifdef VARVE_WITHOUT_SIMDJSON

// Without simdjson there is no fast parser: the reader in Swift reads everything.
struct varve_json_parser {};

size_t varve_json_padding(void) { return 0; }

varve_json_parser *varve_json_parser_create(void) { return nullptr; }

void varve_json_parser_destroy(varve_json_parser *) {}

int varve_json_parse(varve_json_parser *, const uint8_t *, size_t, varve_json_tape *) { return 0; }

#else

namespace {

struct name {
  const uint8_t *text;
  uint32_t count;

  bool operator==(const name &other) const {
    return count == other.count && std::memcmp(text, other.text, count) == 0;
  }

  bool operator<(const name &other) const {
    if (count != other.count) return count < other.count;
    return std::memcmp(text, other.text, count) < 0;
  }
};

name name_at(const uint8_t *strings, uint64_t offset) {
  uint32_t count;
  std::memcpy(&count, strings + offset, sizeof count);
  return {strings + offset + sizeof count, count};
}

bool has_twice(name *begin, name *end) {
  if (end - begin > 16) {
    std::sort(begin, end);
    return std::adjacent_find(begin, end) != end;
  }
  for (name *one = begin; one != end; ++one)
    for (name *other = begin; other != one; ++other)
      if (*one == *other) return true;
  return false;
}

constexpr uint64_t payload_mask = 0x00FFFFFFFFFFFFFF;

}  // namespace

struct varve_json_parser {
  simdjson::dom::parser parser;
  std::vector<name> names;
  // For each open array or object, where its names begin; npos for arrays.
  std::vector<size_t> open;

  bool is_strict() {
    constexpr size_t none = SIZE_MAX;
    const uint64_t *tape = parser.doc.tape.get();
    const uint8_t *strings = parser.doc.string_buf.get();
    const size_t end = size_t(tape[0] & payload_mask) - 1;
    names.clear();
    open.clear();
    bool is_name = false;
    for (size_t index = 1; index < end; ++index) {
      const uint64_t word = tape[index];
      const bool was_name = is_name;
      is_name = !open.empty() && open.back() != none;
      switch (uint8_t(word >> 56)) {
        case '{':
          open.push_back(names.size());
          is_name = true;
          break;
        case '[':
          open.push_back(none);
          is_name = false;
          break;
        case '}':
          if (has_twice(names.data() + open.back(), names.data() + names.size())) return false;
          names.resize(open.back());
          open.pop_back();
          is_name = !open.empty() && open.back() != none;
          break;
        case ']':
          open.pop_back();
          is_name = !open.empty() && open.back() != none;
          break;
        case '"':
          if (was_name) {
            names.push_back(name_at(strings, word & payload_mask));
            is_name = false;
          }
          break;
        case 'l':
        case 'd':
          ++index;
          break;
        case 'u':
          return false;
      }
    }
    return true;
  }
};

size_t varve_json_padding(void) { return simdjson::SIMDJSON_PADDING; }

varve_json_parser *varve_json_parser_create(void) { return new (std::nothrow) varve_json_parser; }

void varve_json_parser_destroy(varve_json_parser *parser) { delete parser; }

int varve_json_parse(
  varve_json_parser *parser, const uint8_t *bytes, size_t count, varve_json_tape *result) {
  const auto parsed = parser->parser.parse(bytes, count, false);
  if (parsed.error() != simdjson::SUCCESS || !parser->is_strict()) return 0;
  result->tape = parser->parser.doc.tape.get();
  result->strings = parser->parser.doc.string_buf.get();
  return 1;
}

#endif

namespace {

// The high bits of those of eight bytes that are a given one; of later bytes it may tell too much.
uint64_t bytes_like(uint64_t word, uint8_t byte) {
  constexpr uint64_t ones = 0x0101010101010101;
  const uint64_t zeros = word ^ (ones * byte);
  return (zeros - ones) & ~zeros & (ones << 7);
}

// Passes over bytes that neither end a string nor escape.
size_t pass_plain(const uint8_t *bytes, size_t count, size_t index) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  while (count - index >= sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, bytes + index, sizeof word);
    const uint64_t found = bytes_like(word, '"') | bytes_like(word, '\\');
    if (found != 0) return index + size_t(__builtin_ctzll(found) >> 3);
    index += sizeof word;
  }
#endif
  while (index < count && bytes[index] != '"' && bytes[index] != '\\') ++index;
  return index;
}

// Passes over a string to behind its closing quote; stays in it at the end of the bytes.
size_t pass_string(varve_json_scan *scan, const uint8_t *bytes, size_t count, size_t index) {
  while (index < count) {
    if (scan->is_escaped) {
      scan->is_escaped = 0;
      ++index;
      continue;
    }
    index = pass_plain(bytes, count, index);
    if (index == count) break;
    const uint8_t byte = bytes[index++];
    if (byte == '"') {
      scan->is_in_string = 0;
      return index;
    }
    if (byte == '\\') scan->is_escaped = 1;
  }
  return index;
}

}  // namespace

#if defined(__SSE2__)

namespace {

constexpr size_t block_count = 64;

// The bytes of a block that matter outside of strings, a bit for each.
struct block_bits {
  uint64_t quotes = 0;
  uint64_t escapes = 0;
  uint64_t opens = 0;
  uint64_t closes = 0;

  explicit block_bits(const uint8_t *bytes) {
    for (unsigned part = 0; part < block_count; part += sizeof(__m128i)) {
      const __m128i some = _mm_loadu_si128(reinterpret_cast<const __m128i *>(bytes + part));
      // Brackets differ from braces in this bit, and no other byte becomes a brace by it.
      const __m128i folded = _mm_or_si128(some, _mm_set1_epi8(0x20));
      quotes |= bits(some, '"') << part;
      escapes |= bits(some, '\\') << part;
      opens |= bits(folded, '{') << part;
      closes |= bits(folded, '}') << part;
    }
  }

  static uint64_t bits(__m128i some, char byte) {
    return uint64_t(unsigned(_mm_movemask_epi8(_mm_cmpeq_epi8(some, _mm_set1_epi8(byte)))));
  }
};

// Each bit becomes the parity of those up to it.
uint64_t parities(uint64_t bits) {
  for (unsigned shift = 1; shift < block_count; shift *= 2) bits ^= bits << shift;
  return bits;
}

uint64_t count_of(uint64_t bits) {
  uint64_t count = 0;
  for (; bits != 0; bits &= bits - 1) ++count;
  return count;
}

// Passes over whole blocks in which the scan cannot end; returns the index of the first byte that
// is not passed. A block with an escape is left to the bytewise scan.
size_t pass_blocks(
  varve_json_scan *scan, const uint8_t *bytes, size_t end, uint64_t most_depth, size_t index) {
  while (!scan->is_escaped && end - index >= block_count) {
    const block_bits block(bytes + index);
    if (block.escapes != 0) break;
    uint64_t strings = parities(block.quotes);
    if (scan->is_in_string) strings = ~strings;
    const uint64_t opens = count_of(block.opens & ~strings);
    const uint64_t closes = count_of(block.closes & ~strings);
    // In any order, they neither close the array nor nest too deep.
    if (closes > scan->depth || opens > most_depth - scan->depth) break;
    scan->depth += opens;
    scan->depth -= closes;
    scan->is_in_string = strings >> (block_count - 1);
    index += block_count;
  }
  return index;
}

}  // namespace

#endif

varve_json_scan_result varve_json_scan_elements(
  varve_json_scan *scan, const uint8_t *bytes, size_t count, size_t least, uint64_t most_depth,
  size_t *index) {
  size_t at = *index;
#if defined(__SSE2__)
  // Commas before the least index do not end the scan.
  const size_t blocks_end = std::min(count, least);
  size_t next_blocks = at;
#endif
  while (at < count) {
#if defined(__SSE2__)
    // After a block that was not passed, its bytes are.
    if (at >= next_blocks && at < blocks_end) {
      at = pass_blocks(scan, bytes, blocks_end, most_depth, at);
      next_blocks = at + block_count;
      if (at == count) break;
    }
#endif
    if (scan->is_in_string) {
      at = pass_string(scan, bytes, count, at);
      continue;
    }
    switch (bytes[at]) {
      case '"':
        scan->is_in_string = 1;
        break;
      case '{':
      case '[':
        if (scan->depth == most_depth) {
          *index = at;
          return varve_json_scan_deep;
        }
        ++scan->depth;
        break;
      case '}':
      case ']':
        if (scan->depth == 0) {
          *index = at;
          return varve_json_scan_close;
        }
        --scan->depth;
        break;
      case ',':
        if (scan->depth == 0 && at >= least) {
          *index = at;
          return varve_json_scan_comma;
        }
        break;
    }
    ++at;
  }
  *index = at;
  return varve_json_scan_end;
}
