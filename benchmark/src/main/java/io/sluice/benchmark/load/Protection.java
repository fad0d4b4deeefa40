package io.sluice.benchmark.load;

import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How a cluster is kept from others. */
enum Protection {
  NONE("nothing"),
  AUTH("authentication"),
  TLS("authentication, TLS");

  private final String words;

  Protection(String words) {
    this.words = words;
  }

  /** For people. */
  String words() {
    return words;
  }

  boolean demandsProof() {
    return this != NONE;
  }

  boolean encrypts() {
    return this == TLS;
  }

  /** As an option's value. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Reads lower case. */
  static final class Converter implements ITypeConverter<Protection> {
    @Override
    public Protection convert(String text) {
      for (Protection protection : values()) {
        if (protection.toString().equals(text)) {
          return protection;
        }
      }
      throw new TypeConversionException("expected one of none, auth, tls, found \"" + text + "\"");
    }
  }
}
