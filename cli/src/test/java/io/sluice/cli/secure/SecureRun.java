package io.sluice.cli.secure;

import io.sluice.cli.CliRun;
import io.sluice.common.tls.PemFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Runs {@code sluice secure} at a fixed time on a fixed machine, and reads its files. */
final class SecureRun {
  static final Instant NOW = Instant.parse("2026-11-25T12:00:00Z");

  private final SecureSources sources =
      new SecureSources(
          Clock.fixed(NOW, ZoneOffset.UTC),
          new SecureRandom(),
          () -> List.of("localhost", "127.0.0.1", "::1", "box.example.com"));

  CliRun run(Object... words) {
    List<String> args = new ArrayList<>();
    for (Object word : words) {
      args.add(word.toString());
    }
    return CliRun.of(
        (out, err) -> {
          picocli.CommandLine line = SecureCommand.commandLine(sources);
          line.setOut(out).setErr(err);
          line.setExecutionExceptionHandler(
              (failure, command, parsed) -> {
                err.println(failure.getMessage());
                return ((picocli.CommandLine.IExitCodeGenerator) failure).getExitCode();
              });
          line.setParameterExceptionHandler(
              (wrong, all) -> {
                err.println(wrong.getMessage());
                return 2;
              });
          return line;
        },
        args.toArray(String[]::new));
  }

  /** Relative names of all files, sorted. */
  static Set<String> files(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      Set<String> names = new TreeSet<>();
      all.filter(Files::isRegularFile)
          .forEach(file -> names.add(directory.relativize(file).toString()));
      return names;
    }
  }

  /** DNS names and addresses of a certificate. */
  static List<String> hosts(X509Certificate certificate) throws CertificateParsingException {
    return certificate.getSubjectAlternativeNames().stream()
        .map(name -> String.valueOf(name.get(1)))
        .toList();
  }

  static X509Certificate certificate(Path file) throws IOException {
    return PemFiles.certificates(Files.readString(file)).get(0);
  }
}
