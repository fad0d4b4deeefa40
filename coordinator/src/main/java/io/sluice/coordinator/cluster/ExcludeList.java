package io.sluice.coordinator.cluster;

import io.sluice.proto.ServerId;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
            .map(ExcludeList::entry)
            .filter(line -> !line.isEmpty())
            .collect(Collectors.toUnmodifiableSet()));
  }

  /** What a line of the file names; empty: nothing. */
  public static String entry(String line) {
    return (line.indexOf('#') < 0 ? line : line.substring(0, line.indexOf('#'))).strip();
  }

  public int size() {
    return entries.size();
  }

  public boolean contains(String entry) {
    return entries.contains(entry);
  }

  /** The entries in order. */
  public List<String> sorted() {
    return entries.stream().sorted().toList();
  }

  /** Also these entries. */
  public ExcludeList with(ExcludeList more) {
    return new ExcludeList(
        Stream.concat(entries.stream(), more.entries.stream())
            .collect(Collectors.toUnmodifiableSet()));
  }

  /** Without these entries. */
  public ExcludeList without(Set<String> fewer) {
    return new ExcludeList(
        entries.stream()
            .filter(entry -> !fewer.contains(entry))
            .collect(Collectors.toUnmodifiableSet()));
  }

  public boolean excludes(ServerId server) {
    if (entries.isEmpty()) {
      return false;
    }
    return entries.contains(server.getHost()) || ownForms(server).anyMatch(entries::contains);
  }

  /** The entries that are about this server and no other on its host. */
  public Set<String> entriesOf(ServerId server) {
    return ownForms(server).filter(entries::contains).collect(Collectors.toUnmodifiableSet());
  }

  private static Stream<String> ownForms(ServerId server) {
    String host = server.getHost();
    int port = server.getRpcPort();
    return Stream.of(
        server.getName(),
        host + ":" + port,
        host + "-" + port,
        host + "-" + port + "-" + server.getNettyPort());
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
