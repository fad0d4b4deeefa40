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
 */
public record RemoteDirectories(
    String server, String path, List<String> tags, List<String> current, List<String> former) {
  private static final int MAX_FORMER = 256;

  public RemoteDirectories {
    tags = List.copyOf(tags);
    current = List.copyOf(current);
    former = List.copyOf(former);
  }

  /** Returns a server without directories. */
  public static RemoteDirectories none(String server) {
    return new RemoteDirectories(server, "", List.of(), List.of(), List.of());
  }

  /** Whether the server has no directory. */
  public boolean isEmpty() {
    return current.isEmpty() && former.isEmpty();
  }

  /** Returns the directories after a heartbeat. With another path, earlier ones are forgotten. */
  public RemoteDirectories reporting(String newPath, List<String> newTags, List<String> served) {
    if (!newPath.equals(path)) {
      return new RemoteDirectories(server, newPath, newTags, served, List.of());
    }
    Set<String> left = new LinkedHashSet<>(current);
    served.forEach(left::remove);
    return new RemoteDirectories(server, path, newTags, served, former).adopted(left);
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
        all.stream().skip(Math.max(0, all.size() - MAX_FORMER)).toList());
  }

  /** Returns these directories without some that have no files. */
  public RemoteDirectories without(Set<String> released) {
    return new RemoteDirectories(
        server, path, tags, remaining(current, released), remaining(former, released));
  }

  private static List<String> remaining(List<String> directories, Set<String> released) {
    return directories.stream().filter(directory -> !released.contains(directory)).toList();
  }
}
