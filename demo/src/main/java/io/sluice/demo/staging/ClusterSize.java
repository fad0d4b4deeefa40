package io.sluice.demo.staging;

/**
 * Number of processes of a cluster.
 *
 * @param coordinators several form a quorum
 * @param servers shuffle servers
 */
public record ClusterSize(int coordinators, int servers) {
  @Override
  public String toString() {
    return coordinators
        + (coordinators == 1 ? " coordinator and " : " coordinators and ")
        + servers
        + " shuffle servers";
  }
}
