package io.sluice.coordinator.cluster;

import java.util.Collection;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Directories on remote tiers by server. Includes lost servers, as long as they have directories.
 * Immutable; changes are rare.
 */
public final class RemoteDirectoryTable {
  public static final RemoteDirectoryTable EMPTY = new RemoteDirectoryTable(new TreeMap<>());

  /** Never changed after construction. */
  private final SortedMap<String, RemoteDirectories> byServer;

  private RemoteDirectoryTable(SortedMap<String, RemoteDirectories> byServer) {
    this.byServer = byServer;
  }

  public int size() {
    return byServer.size();
  }

  /** Returns the directories of a server; empty ones if it has none. */
  public RemoteDirectories of(String server) {
    RemoteDirectories found = byServer.get(server);
    return found == null ? RemoteDirectories.none(server) : found;
  }

  /** Returns all servers with directories, by name. */
  public Collection<RemoteDirectories> all() {
    return Collections.unmodifiableCollection(byServer.values());
  }

  /** Returns the table with other directories of a server, which is removed if it has none. */
  public RemoteDirectoryTable with(RemoteDirectories directories) {
    SortedMap<String, RemoteDirectories> copy = new TreeMap<>(byServer);
    if (directories.isEmpty()) {
      copy.remove(directories.server());
    } else {
      copy.put(directories.server(), directories);
    }
    return new RemoteDirectoryTable(copy);
  }
}
