package io.sluice.coordinator.cluster;

import io.sluice.proto.ServerId;
import io.sluice.proto.ServerState;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What operators ordered about servers: exclusions, by the exclude file and over the API, and
 * decommissions. Immutable. The file is input: it is read again after a restart, the rest is
 * logged.
 */
public final class OperatorOrders {
  public static final OperatorOrders NONE =
      new OperatorOrders(ExcludeList.empty(), ExcludeList.empty(), new TreeMap<>());

  private final ExcludeList excludedByFile;
  private final ExcludeList excludedByApi;
  private final ExcludeList excluded;

  /** Never changed after construction. */
  private final SortedMap<String, DecommissionOrder> decommissions;

  private OperatorOrders(
      ExcludeList excludedByFile,
      ExcludeList excludedByApi,
      SortedMap<String, DecommissionOrder> decommissions) {
    this.excludedByFile = excludedByFile;
    this.excludedByApi = excludedByApi;
    this.excluded = excludedByFile.with(excludedByApi);
    this.decommissions = decommissions;
  }

  /** All excluded servers. */
  public ExcludeList excluded() {
    return excluded;
  }

  public ExcludeList excludedByFile() {
    return excludedByFile;
  }

  public ExcludeList excludedByApi() {
    return excludedByApi;
  }

  /** By name of the server. */
  public SortedMap<String, DecommissionOrder> decommissions() {
    return Collections.unmodifiableSortedMap(decommissions);
  }

  /** The order that a server has, or null. */
  public DecommissionOrder decommission(String server) {
    return decommissions.get(server);
  }

  /**
   * The state that a server counts as: one that accepted a decommission is draining, whatever a
   * heartbeat says that it sent before.
   */
  public ServerState effective(ServerId id, ServerState reported) {
    DecommissionOrder order = decommissions.get(id.getName());
    return order != null && order.epoch() == id.getEpoch() && reported == ServerState.ACTIVE
        ? ServerState.SERVER_DRAINING
        : reported;
  }

  public OperatorOrders withFile(ExcludeList newer) {
    return new OperatorOrders(newer, excludedByApi, decommissions);
  }

  public OperatorOrders withApi(ExcludeList newer) {
    return new OperatorOrders(excludedByFile, newer, decommissions);
  }

  public OperatorOrders with(DecommissionOrder order) {
    TreeMap<String, DecommissionOrder> changed = new TreeMap<>(decommissions);
    changed.put(order.server(), order);
    return new OperatorOrders(excludedByFile, excludedByApi, changed);
  }

  public OperatorOrders withoutDecommission(String server) {
    if (!decommissions.containsKey(server)) {
      return this;
    }
    TreeMap<String, DecommissionOrder> changed = new TreeMap<>(decommissions);
    changed.remove(server);
    return new OperatorOrders(excludedByFile, excludedByApi, changed);
  }
}
