/// The words that SQLite or PostgreSQL treat as keywords where a name is expected
/// (https://www.sqlite.org/lang_keywords.html).
package enum SQLKeywords {
  package static let all: Set<String> = Set(
    """
    ABORT ACTION ADD AFTER ALL ALTER ALWAYS ANALYSE ANALYZE AND ANY ARRAY AS ASC ASYMMETRIC ATTACH \
    AUTOINCREMENT BEFORE BEGIN BETWEEN BOTH BY CASCADE CASE CAST CHECK COLLATE COLUMN COMMIT \
    CONFLICT CONSTRAINT CREATE CROSS CURRENT CURRENT_DATE CURRENT_ROLE CURRENT_TIME \
    CURRENT_TIMESTAMP CURRENT_USER DATABASE DEFAULT DEFERRABLE DEFERRED DELETE DESC DETACH DISTINCT \
    DO DROP EACH ELSE END ESCAPE EXCEPT EXCLUDE EXCLUSIVE EXISTS EXPLAIN FAIL FALSE FETCH FILTER \
    FIRST FOLLOWING FOR FOREIGN FROM FULL GENERATED GLOB GRANT GROUP GROUPS HAVING IF IGNORE \
    IMMEDIATE IN INDEX INDEXED INITIALLY INNER INSERT INSTEAD INTERSECT INTO IS ISNULL JOIN KEY \
    LAST LATERAL LEADING LEFT LIKE LIMIT LOCALTIME LOCALTIMESTAMP MATCH MATERIALIZED NATURAL NO \
    NOT NOTHING NOTNULL NULL NULLS OF OFFSET ON ONLY OR ORDER OTHERS OUTER OVER PARTITION PLACING \
    PLAN PRAGMA PRECEDING PRIMARY QUERY RAISE RANGE RECURSIVE REFERENCES REGEXP REINDEX RELEASE \
    RENAME REPLACE RESTRICT RETURNING RIGHT ROLLBACK ROW ROWS SAVEPOINT SELECT SESSION_USER SET \
    SIMILAR SOME SYMMETRIC TABLE TEMP TEMPORARY THEN TIES TO TRAILING TRANSACTION TRIGGER TRUE \
    UNBOUNDED UNION UNIQUE UPDATE USER USING VACUUM VALUES VARIADIC VERBOSE VIEW VIRTUAL WHEN WHERE \
    WINDOW WITH WITHOUT
    """.split(separator: " ").map(String.init)
  )
}

extension String {
  /// The text as an SQL identifier: in double quotes, with inner ones doubled.
  package var quotedIdentifier: String {
    guard utf8.contains(UInt8(ascii: "\"")) else { return "\"" + self + "\"" }
    return "\"" + replacing("\"", with: "\"\"") + "\""
  }

  /// The text as an SQL identifier, quoted only if necessary.
  package var identifier: String {
    let isPlain =
      !isEmpty && utf8.first.map { !(0x30...0x39).contains($0) } ?? false
      && utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: true
        default: false
        }
      }
    return isPlain && !SQLKeywords.all.contains(uppercased()) ? self : quotedIdentifier
  }
}
