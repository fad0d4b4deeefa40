package io.sluice.coordinator.cluster;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * All servers by name. Immutable; a change copies one array of references (8 KB for a thousand
 * servers), which is small compared with the heartbeat message.
 */
public final class ServerTable {
  private static final ServerTable EMPTY = new ServerTable(new Server[0]);

  /** Sorted by name; never changed after construction. */
  private final Server[] byName;

  private ServerTable(Server[] byName) {
    this.byName = byName;
  }

  public static ServerTable empty() {
    return EMPTY;
  }

  public int size() {
    return byName.length;
  }

  /** Returns the server of that name, or null. */
  public Server get(String name) {
    int index = indexOf(name);
    return index < 0 ? null : byName[index];
  }

  /** Returns all servers, by name. */
  public List<Server> all() {
    return Collections.unmodifiableList(Arrays.asList(byName));
  }

  /** Returns this table with {@code server} added, or replacing the one of its name. */
  public ServerTable with(Server server) {
    int index = indexOf(server.name());
    if (index >= 0) {
      Server[] copy = byName.clone();
      copy[index] = server;
      return new ServerTable(copy);
    }
    int at = -index - 1;
    Server[] copy = new Server[byName.length + 1];
    System.arraycopy(byName, 0, copy, 0, at);
    copy[at] = server;
    System.arraycopy(byName, at, copy, at + 1, byName.length - at);
    return new ServerTable(copy);
  }

  /** Returns this table without the server of that name. */
  public ServerTable without(String name) {
    int index = indexOf(name);
    if (index < 0) {
      return this;
    }
    Server[] copy = new Server[byName.length - 1];
    System.arraycopy(byName, 0, copy, 0, index);
    System.arraycopy(byName, index + 1, copy, index, copy.length - index);
    return new ServerTable(copy);
  }

  /** Returns this table after partitions were assigned; unknown names are ignored. */
  public ServerTable assigned(Map<String, Integer> partitionsByServer) {
    Server[] copy = byName.clone();
    partitionsByServer.forEach(
        (name, partitions) -> {
          int index = indexOf(name);
          if (index >= 0) {
            copy[index] = copy[index].assigned(partitions);
          }
        });
    return new ServerTable(copy);
  }

  private int indexOf(String name) {
    int low = 0;
    int high = byName.length - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int order = byName[middle].name().compareTo(name);
      if (order == 0) {
        return middle;
      }
      if (order < 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return -low - 1;
  }
}
