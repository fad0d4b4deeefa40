package io.sluice.coordinator.cluster;

import io.sluice.common.auth.Revocation;
import io.sluice.proto.ServerId;
import io.sluice.proto.ServerState;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Exclusions, decommissions and revocations of tokens ordered by operators. Immutable. Exclusions
 * by the exclude file are read again after a restart; all others are logged.
 */
public final class OperatorOrders {
  public static final OperatorOrders NONE =
      new OperatorOrders(
          ExcludeList.empty(), ExcludeList.empty(), new TreeMap<>(), RevocationTable.EMPTY);

  private final ExcludeList excludedByFile;
  private final ExcludeList excludedByApi;
  private final ExcludeList excluded;

  /** Never changed after construction. */
  private final SortedMap<String, DecommissionOrder> decommissions;

  private final RevocationTable revocations;

  private OperatorOrders(
      ExcludeList excludedByFile,
      ExcludeList excludedByApi,
      SortedMap<String, DecommissionOrder> decommissions,
      RevocationTable revocations) {
    this.excludedByFile = excludedByFile;
    this.excludedByApi = excludedByApi;
    this.excluded = excludedByFile.with(excludedByApi);
    this.decommissions = decommissions;
    this.revocations = revocations;
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

  /** Returns the decommissions by server name. */
  public SortedMap<String, DecommissionOrder> decommissions() {
    return Collections.unmodifiableSortedMap(decommissions);
  }

  /** Returns the decommission of a server, or null. */
  public DecommissionOrder decommission(String server) {
    return decommissions.get(server);
  }

  /**
   * Returns the effective state of a server. A server that accepted a decommission is draining,
   * even if an earlier heartbeat reports ACTIVE.
   */
  public ServerState effective(ServerId id, ServerState reported) {
    DecommissionOrder order = decommissions.get(id.getName());
    return order != null && order.epoch() == id.getEpoch() && reported == ServerState.ACTIVE
        ? ServerState.SERVER_DRAINING
        : reported;
  }

  /** Revoked tokens. */
  public RevocationTable revocations() {
    return revocations;
  }

  public OperatorOrders withFile(ExcludeList newer) {
    return new OperatorOrders(newer, excludedByApi, decommissions, revocations);
  }

  public OperatorOrders withApi(ExcludeList newer) {
    return new OperatorOrders(excludedByFile, newer, decommissions, revocations);
  }

  public OperatorOrders with(Revocation revocation) {
    return new OperatorOrders(
        excludedByFile, excludedByApi, decommissions, revocations.with(revocation));
  }

  public OperatorOrders with(DecommissionOrder order) {
    TreeMap<String, DecommissionOrder> changed = new TreeMap<>(decommissions);
    changed.put(order.server(), order);
    return new OperatorOrders(excludedByFile, excludedByApi, changed, revocations);
  }

  public OperatorOrders withoutDecommission(String server) {
    if (!decommissions.containsKey(server)) {
      return this;
    }
    TreeMap<String, DecommissionOrder> changed = new TreeMap<>(decommissions);
    changed.remove(server);
    return new OperatorOrders(excludedByFile, excludedByApi, changed, revocations);
  }
}
