package io.sluice.common.tls;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;

/** Writes values in the encoding of certificates (ASN.1 DER). */
final class Der {
  private static final int INTEGER = 0x02;
  private static final int BIT_STRING = 0x03;
  private static final int OCTET_STRING = 0x04;
  private static final int OBJECT_IDENTIFIER = 0x06;
  private static final int UTF8_STRING = 0x0c;
  private static final int UTC_TIME = 0x17;
  private static final int GENERALIZED_TIME = 0x18;
  private static final int SEQUENCE = 0x30;
  private static final int SET = 0x31;
  private static final int CONTEXT = 0x80;
  private static final int CONTEXT_CONSTRUCTED = 0xa0;

  /** The value true. */
  static final byte[] TRUE = {0x01, 0x01, (byte) 0xff};

  /** From this year on, times have four digits of the year. */
  private static final int GENERALIZED_YEAR = 2050;

  private static final DateTimeFormatter UTC = DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'");
  private static final DateTimeFormatter GENERALIZED =
      DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'");

  private Der() {}

  static byte[] sequence(byte[]... parts) {
    return value(SEQUENCE, parts);
  }

  static byte[] set(byte[]... parts) {
    return value(SET, parts);
  }

  /** A number in two's complement, big-endian. */
  static byte[] integer(byte[] number) {
    return value(INTEGER, number);
  }

  static byte[] octets(byte[] bytes) {
    return value(OCTET_STRING, bytes);
  }

  /**
   * @param unusedBits number of unused bits in the last byte
   */
  static byte[] bits(int unusedBits, byte[] bytes) {
    return value(BIT_STRING, new byte[] {(byte) unusedBits}, bytes);
  }

  static byte[] utf8(String text) {
    return value(UTF8_STRING, text.getBytes(StandardCharsets.UTF_8));
  }

  static byte[] time(Instant time) {
    ZonedDateTime utc = time.atZone(ZoneOffset.UTC);
    boolean isLate = utc.getYear() >= GENERALIZED_YEAR;
    String text = (isLate ? GENERALIZED : UTC).format(utc);
    return value(isLate ? GENERALIZED_TIME : UTC_TIME, text.getBytes(StandardCharsets.US_ASCII));
  }

  /** An alternative of a choice, or an optional field, that is one value. */
  static byte[] tagged(int number, byte[] bytes) {
    return value(CONTEXT | number, bytes);
  }

  /** An optional field that contains values. */
  static byte[] taggedValues(int number, byte[]... parts) {
    return value(CONTEXT_CONSTRUCTED | number, parts);
  }

  static byte[] identifier(int... arcs) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(arcs[0] * 40 + arcs[1]);
    for (int i = 2; i < arcs.length; i++) {
      for (int shift = 28; shift > 0; shift -= 7) {
        if (arcs[i] >>> shift != 0) {
          out.write(0x80 | ((arcs[i] >>> shift) & 0x7f));
        }
      }
      out.write(arcs[i] & 0x7f);
    }
    return value(OBJECT_IDENTIFIER, out.toByteArray());
  }

  private static byte[] value(int tag, byte[]... parts) {
    int length = 0;
    for (byte[] part : parts) {
      length += part.length;
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(tag);
    if (length < 0x80) {
      out.write(length);
    } else if (length < 0x100) {
      out.write(0x81);
      out.write(length);
    } else {
      out.write(0x82);
      out.write(length >>> 8);
      out.write(length);
    }
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }
}
