package io.sluice.server.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The user and the groups of this process. Immutable.
 *
 * @param user effective user id
 * @param groups effective and supplementary group ids
 */
record ProcessIdentity(long user, Set<Long> groups) {
  private static final Path STATUS = Path.of("/proc/self/status");

  ProcessIdentity {
    groups = Set.copyOf(groups);
  }

  /** Empty where the system is not Linux. */
  static Optional<ProcessIdentity> current() throws IOException {
    return Files.isReadable(STATUS)
        ? Optional.of(of(Files.readAllLines(STATUS)))
        : Optional.empty();
  }

  /**
   * Reads lines {@code Uid: REAL EFFECTIVE SAVED FILE}, {@code Gid:} alike, and {@code Groups: ID
   * …}.
   */
  static ProcessIdentity of(List<String> status) throws IOException {
    Set<Long> groups = new HashSet<>(numbers(status, "Groups:"));
    groups.add(effective(status, "Gid:"));
    return new ProcessIdentity(effective(status, "Uid:"), groups);
  }

  private static long effective(List<String> status, String label) throws IOException {
    List<Long> ids = numbers(status, label);
    if (ids.size() < 2) {
      throw new IOException(STATUS + " has no line " + label);
    }
    return ids.get(1);
  }

  private static List<Long> numbers(List<String> status, String label) {
    return status.stream()
        .filter(line -> line.startsWith(label))
        .map(line -> line.substring(label.length()).strip())
        .filter(ids -> !ids.isEmpty())
        .flatMap(ids -> List.of(ids.split("\\s+")).stream())
        .map(Long::valueOf)
        .toList();
  }
}
