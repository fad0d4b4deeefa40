package io.sluice.coordinator.cluster;

import io.sluice.proto.ServerId;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Servers that the operator took out of assignment. Immutable.
 *
 * <p>One server a line, in any of the forms that people have at hand: its name, {@code host:port},
 * {@code host-port}, {@code host-port-nettyPort} (the last two are what Uniffle prints), or a host
 * alone for every server on it. A line is matched as a whole, so {@code node-7} is never taken for
 * port 7 of host {@code node} unless such a server exists. Empty lines and what follows {@code #}
 * are skipped.
 */
public final class ExcludeList {
  private static final ExcludeList EMPTY = new ExcludeList(Set.of());

  private final Set<String> entries;

  private ExcludeList(Set<String> entries) {
    this.entries = entries;
  }

  public static ExcludeList empty() {
    return EMPTY;
  }

  public static ExcludeList parse(List<String> lines) {
    return new ExcludeList(
        lines.stream()
            .map(line -> line.indexOf('#') < 0 ? line : line.substring(0, line.indexOf('#')))
            .map(String::strip)
            .filter(line -> !line.isEmpty())
            .collect(Collectors.toUnmodifiableSet()));
  }

  public int size() {
    return entries.size();
  }

  public boolean excludes(ServerId server) {
    if (entries.isEmpty()) {
      return false;
    }
    String host = server.getHost();
    int port = server.getRpcPort();
    return entries.contains(server.getName())
        || entries.contains(host)
        || entries.contains(host + ":" + port)
        || entries.contains(host + "-" + port)
        || entries.contains(host + "-" + port + "-" + server.getNettyPort());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ExcludeList list && list.entries.equals(entries);
  }

  @Override
  public int hashCode() {
    return entries.hashCode();
  }

  /** The entries in order, for a log line. */
  @Override
  public String toString() {
    return new TreeSet<>(entries).toString();
  }
}
