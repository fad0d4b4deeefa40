package io.sluice.coordinator.cluster;

import io.sluice.common.config.HostText;
import io.sluice.proto.ServerId;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Servers that operators excluded from assignment. Immutable.
 *
 * <p>Each line is the name of a server, {@code host:port}, {@code host-port}, {@code
 * host-port-nettyPort}, or a host name for every server on that host. The forms with hyphens are
 * those of Uniffle. A line is compared as a whole, so {@code node-7} matches port 7 of host {@code
 * node} only if such a server exists. IPv6 addresses may be written in any form: {@code
 * [2001:DB8:0::7]:19999} is server {@code [2001:db8::7]:19999}. Empty lines and text after {@code
 * #} are ignored.
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

  /** Returns the entry of a line, with IPv6 addresses in canonical form; empty if it has none. */
  public static String entry(String line) {
    String entry = (line.indexOf('#') < 0 ? line : line.substring(0, line.indexOf('#'))).strip();
    // The text after the address: a port, or ports with hyphens.
    int end = entry.startsWith("[") ? entry.indexOf(']') + 1 : entry.indexOf('-');
    String host = end > 0 ? entry.substring(0, end) : entry;
    if (host.indexOf(':') < 0) {
      return entry;
    }
    String rest = entry.substring(host.length());
    try {
      String address = HostText.canonical(host);
      return rest.startsWith(":") ? "[" + address + "]" + rest : address + rest;
    } catch (IllegalArgumentException notAnAddress) {
      // host:port; or it matches no server.
      return entry;
    }
  }

  public int size() {
    return entries.size();
  }

  public boolean contains(String entry) {
    return entries.contains(entry);
  }

  /** Returns the sorted entries. */
  public List<String> sorted() {
    return entries.stream().sorted().toList();
  }

  /** Returns this list with more entries. */
  public ExcludeList with(ExcludeList more) {
    return new ExcludeList(
        Stream.concat(entries.stream(), more.entries.stream())
            .collect(Collectors.toUnmodifiableSet()));
  }

  /** Returns this list without some entries. */
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
    return entries.contains(server.getHost()) || serverForms(server).anyMatch(entries::contains);
  }

  /** Returns the entries of this server, without entries of its host. */
  public Set<String> entriesOf(ServerId server) {
    return serverForms(server).filter(entries::contains).collect(Collectors.toUnmodifiableSet());
  }

  private static Stream<String> serverForms(ServerId server) {
    String host = server.getHost();
    int port = server.getRpcPort();
    return Stream.of(
        server.getName(),
        HostText.withPort(host, port),
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

  /** Returns the sorted entries, for a log line. */
  @Override
  public String toString() {
    return new TreeSet<>(entries).toString();
  }
}
