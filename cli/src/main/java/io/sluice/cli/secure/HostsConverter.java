package io.sluice.cli.secure;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses the hosts of one process. */
final class HostsConverter implements ITypeConverter<ProcessHosts> {
  @Override
  public ProcessHosts convert(String text) {
    try {
      return ProcessHosts.parse(text);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }
}
