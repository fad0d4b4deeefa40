package io.sluice.coordinator.cluster;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Directories of one server on a remote tier that servers share. Immutable.
 *
 * @param server name of the server
 * @param path path of the tier
 * @param tags tags of the server, sorted
 * @param current directories that it serves, as in its last heartbeat
 * @param former directories that it no longer serves, or that another server adopted, the newest
 *     last
 * @param changedAtMs time of the last change
 */
public record RemoteDirectories(
    String server,
    String path,
    List<String> tags,
    List<String> current,
    List<String> former,
    long changedAtMs) {
  private static final int MAX_FORMER = 256;

  public RemoteDirectories {
    tags = List.copyOf(tags);
    current = List.copyOf(current);
    former = List.copyOf(former);
  }

  /** Returns a server without directories. */
  public static RemoteDirectories none(String server) {
    return new RemoteDirectories(server, "", List.of(), List.of(), List.of(), 0);
  }

  /** Whether the server has no directory. */
  public boolean isEmpty() {
    return current.isEmpty() && former.isEmpty();
  }

  /** Returns the directories after a heartbeat. With another path, earlier ones are forgotten. */
  public RemoteDirectories reporting(String newPath, List<String> newTags, List<String> served) {
    if (!newPath.equals(path)) {
      return new RemoteDirectories(server, newPath, newTags, served, List.of(), changedAtMs);
    }
    Set<String> left = new LinkedHashSet<>(current);
    served.forEach(left::remove);
    return new RemoteDirectories(server, path, newTags, served, former, changedAtMs).adopted(left);
  }

  /** Returns these directories after other servers may have adopted some. */
  public RemoteDirectories adopted(Set<String> directories) {
    Set<String> all = new LinkedHashSet<>(former);
    all.addAll(directories);
    return new RemoteDirectories(
        server,
        path,
        tags,
        current,
        all.stream().skip(Math.max(0, all.size() - MAX_FORMER)).toList(),
        changedAtMs);
  }

  /** Returns these directories after the server left: other servers may adopt all of them. */
  public RemoteDirectories left() {
    return reporting(path, tags, List.of());
  }

  /** Returns these directories with the time of the last change. */
  public RemoteDirectories changedAt(long nowMs) {
    return new RemoteDirectories(server, path, tags, current, former, nowMs);
  }

  /** Returns these directories without some that have no files. */
  public RemoteDirectories without(Set<String> empty) {
    return new RemoteDirectories(
        server, path, tags, remaining(current, empty), remaining(former, empty), changedAtMs);
  }

  private static List<String> remaining(List<String> directories, Set<String> empty) {
    return directories.stream().filter(directory -> !empty.contains(directory)).toList();
  }
}
