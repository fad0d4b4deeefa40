package io.sluice.benchmark.cluster;

import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Security settings of a cluster. */
public enum Protection {
  NONE("none"),
  AUTH("authentication"),
  TLS("authentication, TLS");

  private final String label;

  Protection(String label) {
    this.label = label;
  }

  /** Name in tables. */
  public String label() {
    return label;
  }

  boolean demandsProof() {
    return this != NONE;
  }

  boolean encrypts() {
    return this == TLS;
  }

  /** Value of the option. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Parses the value of the option. */
  public static final class Converter implements ITypeConverter<Protection> {
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
