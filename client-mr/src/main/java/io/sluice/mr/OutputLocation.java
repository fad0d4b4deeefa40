package io.sluice.mr;

/** Where the output of a map attempt is. */
public enum OutputLocation {
  /** At the node manager, like output of the built-in shuffle. */
  NODE_MANAGER,
  /** On shuffle servers. */
  SERVERS,
  /** On shuffle servers and at the node manager. */
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
