package io.sluice.mr;

/**
 * Where the output of a map attempt is. Reducers are told in the attempt's completion event: in
 * what follows the address of its node manager.
 */
public enum OutputPlace {
  /** At the node manager, as Hadoop's own map output is. */
  NODE_MANAGER(""),
  /** At the servers. */
  SERVERS("#sluice=servers"),
  /** At both. */
  SERVERS_AND_NODE_MANAGER("#sluice=both");

  private final String mark;

  OutputPlace(String mark) {
    this.mark = mark;
  }

  /**
   * @param pushed whether servers have all of it
   * @param local whether the node manager has all of it
   */
  public static OutputPlace of(boolean pushed, boolean local) {
    if (pushed) {
      return local ? SERVERS_AND_NODE_MANAGER : SERVERS;
    }
    return NODE_MANAGER;
  }

  public boolean atServers() {
    return this != NODE_MANAGER;
  }

  public boolean atNodeManager() {
    return this != SERVERS;
  }

  /** The address of a node manager with this place behind it. */
  public String mark(String address) {
    return unmarked(address) + mark;
  }

  /** What {@link #mark} put behind an address. */
  public static OutputPlace in(String address) {
    for (OutputPlace place : values()) {
      if (place != NODE_MANAGER && address.endsWith(place.mark)) {
        return place;
      }
    }
    return NODE_MANAGER;
  }

  /** The address alone. */
  public static String unmarked(String address) {
    OutputPlace place = in(address);
    return address.substring(0, address.length() - place.mark.length());
  }
}
