package io.sluice.mr;

/** Where the output of a map attempt is. */
public enum OutputLocation {
  /** At the node manager, as Hadoop's own map output is. */
  NODE_MANAGER,
  /** At the servers. */
  SERVERS,
  /** At both. */
  SERVERS_AND_NODE_MANAGER;

  /**
   * @param pushed whether servers have all of it
   * @param local whether the node manager has all of it
   */
  public static OutputLocation of(boolean pushed, boolean local) {
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
}
