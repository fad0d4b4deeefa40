package io.sluice.coordinator.api;

import io.sluice.common.auth.Revocation;
import io.sluice.common.config.ConfigChange;
import io.sluice.common.config.ConfigException;
import io.sluice.common.config.ConfigReload;
import io.sluice.common.error.PeerText;
import io.sluice.coordinator.cluster.Application;
import io.sluice.coordinator.cluster.DecommissionOrder;
import io.sluice.coordinator.cluster.ExcludeList;
import io.sluice.coordinator.quota.SetLimits;
import io.sluice.coordinator.state.Decision;
import io.sluice.coordinator.state.Decisions;
import io.sluice.coordinator.state.LoggedChange;
import io.sluice.coordinator.state.MetadataRecord;
import io.sluice.coordinator.state.StateOwner;
import io.sluice.proto.ConfigurationChange;
import io.sluice.proto.DecommissionRequest;
import io.sluice.proto.ReloadConfigurationReply;
import io.sluice.proto.ServerId;
import io.sluice.proto.Status;
import io.sluice.proto.UnregisterApplicationReply;
import io.sluice.proto.UnregisterApplicationRequest;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;

/** Mutations of the REST API on a running coordinator. Thread-safe. */
public final class ClusterAdminOperations implements AdminOperations {
  private static final int NOT_FOUND = 404;
  private static final int CONFLICT = 409;
  private static final int UNAVAILABLE = 503;

  private final StateOwner owner;
  private final NamedServers named;
  private final Supplier<Decisions> decisions;
  private final Exclusions exclusions;
  private final TokenRevocations revocations;
  private final ServerControl servers;
  private final ConfigReload configuration;
  private final Executor files;
  private final boolean durable;
  private final Clock clock;

  /**
   * @param decisions called for each operation
   * @param files executor that reads the configuration
   * @param durable whether the state survives a restart
   */
  public ClusterAdminOperations(
      StateOwner owner,
      Supplier<Decisions> decisions,
      Exclusions exclusions,
      TokenRevocations revocations,
      ServerControl servers,
      ConfigReload configuration,
      Executor files,
      boolean durable,
      Clock clock) {
    this.owner = owner;
    this.named = new NamedServers(owner);
    this.decisions = decisions;
    this.exclusions = exclusions;
    this.revocations = revocations;
    this.servers = servers;
    this.configuration = configuration;
    this.files = files;
    this.durable = durable;
    this.clock = clock;
  }

  @Override
  public Resource exclusions() {
    return exclusions(owner.view().excluded());
  }

  private Resource exclusions(ExcludeList list) {
    return new Resource.Exclusions(
        clock.millis(),
        exclusions.file().map(Object::toString).orElse(null),
        durable,
        list.sorted());
  }

  @Override
  public CompletionStage<Resource> exclude(String server) {
    return exclusions.exclude(server).thenApply(this::exclusions);
  }

  @Override
  public CompletionStage<Resource> include(String server) {
    return exclusions.include(server).thenApply(this::exclusions);
  }

  @Override
  public CompletionStage<Resource> decommission(String server, Resource.DecommissionOrder order) {
    Optional<String> problem = owner.logProblem();
    if (problem.isPresent()) {
      // The server would leave, but after a restart this coordinator would not know the reason.
      return refused(UNAVAILABLE, "the metadata log cannot be written: " + problem.get());
    }
    DecommissionRequest request =
        DecommissionRequest.newBuilder()
            .setDeadlineMs(order.deadline())
            .setMove(order.moves())
            .build();
    return decommission(
        server,
        request,
        id ->
            (view, nowMs) ->
                AdminResult.of(
                    List.of(
                        new LoggedChange.DecommissionOrdered(
                            new DecommissionOrder(
                                server, id.getEpoch(), order.deadline(), order.moves(), nowMs))),
                    true),
        server
            + " gets no new assignments and exits once its data is "
            + (order.moves() ? "moved to other servers" : "no longer needed"));
  }

  @Override
  public CompletionStage<Resource> cancelDecommission(String server) {
    return decommission(
        server,
        DecommissionRequest.newBuilder().setCancel(true).build(),
        id ->
            (view, nowMs) ->
                AdminResult.of(
                    view.orders().decommission(server) == null
                        ? List.of()
                        : List.of(new LoggedChange.DecommissionEnded(server, true)),
                    true),
        server + " accepts assignments again");
  }

  /**
   * Sends a request to a server and logs the change once the server has accepted it.
   *
   * @param logged makes the change to log from the id of the server
   */
  private CompletionStage<Resource> decommission(
      String name,
      DecommissionRequest request,
      Function<ServerId, StateOwner.Decider<AdminResult<Boolean>>> logged,
      String done) {
    return named.call(
        name,
        id ->
            servers
                .decommission(id, request)
                .thenCompose(
                    reply -> {
                      NamedServers.requireOk(name, reply.getStatus(), reply.getMessage());
                      return AdminResult.submit(owner, logged.apply(id));
                    })
                .thenApply(unused -> new Resource.Done(clock.millis(), done)));
  }

  @Override
  public CompletionStage<Resource> limit(String user, Resource.LimitsOrder order) {
    Map<String, Long> named = order.named();
    return AdminResult.submit(
            owner,
            (view, nowMs) -> {
              boolean known = view.limits().all().containsKey(user);
              if (!known && view.limits().all().size() >= SetLimits.MAX_USERS) {
                return AdminResult.refused(
                    CONFLICT,
                    "limits of "
                        + SetLimits.MAX_USERS
                        + " users are set, the maximum: use"
                        + " rss.coordinator.quota.default.path instead");
              }
              return !known && named.isEmpty()
                  ? AdminResult.of(List.of(), true)
                  : AdminResult.of(List.of(new LoggedChange.LimitsSet(user, named)), true);
            })
        .thenApply(
            unused ->
                new Resource.Done(
                    clock.millis(),
                    named.isEmpty()
                        ? "limits of " + user + " are removed, the quota file applies"
                        : "limits of " + user + " are " + new TreeMap<>(named)));
  }

  @Override
  public CompletionStage<Resource> deleteApplication(String application) {
    Application known = owner.view().applications().get(application);
    if (known == null || known.state() == Application.State.ENDED) {
      return refused(NOT_FOUND, "unknown or ended application: " + PeerText.quoted(application));
    }
    UnregisterApplicationRequest request =
        UnregisterApplicationRequest.newBuilder().setApplication(application).build();
    return owner
        .submit((view, nowMs) -> decisions.get().applications().unregister(view, request, nowMs))
        .handle(
            (UnregisterApplicationReply reply, Throwable failure) -> {
              if (failure != null) {
                throw failed(UNAVAILABLE, "not available now, retry later: " + failure);
              }
              NamedServers.requireOk(application, reply.getStatus(), reply.getMessage());
              return new Resource.Done(
                  clock.millis(),
                  application + " is deleted; servers delete its data with their next heartbeat");
            });
  }

  @Override
  public Resource revocations() {
    return new Resource.Revocations(
        clock.millis(),
        durable,
        revocations.all().stream()
            .map(
                one ->
                    new Resource.Revocation(
                        one.subject().kind().text(),
                        one.subject().name(),
                        one.revokedAtMs(),
                        one.expiryMs()))
            .toList());
  }

  @Override
  public CompletionStage<Resource> revokeUser(String user) {
    return revocations
        .revokeUser(user)
        .thenApply(
            revoked ->
                new Resource.Done(
                    clock.millis(),
                    revokedText(revoked) + "; a user of the users file gets new ones"));
  }

  @Override
  public CompletionStage<Resource> revokeApplication(String application) {
    return revocations
        .revokeApplication(application)
        .thenApply(
            revoked ->
                new Resource.Done(
                    clock.millis(),
                    revokedText(revoked) + "; servers delete its data with their next heartbeat"));
  }

  private String revokedText(Revocation revocation) {
    return "tokens of "
        + revocation.subject().text()
        + " issued until "
        + Instant.ofEpochMilli(revocation.revokedAtMs())
        + " are refused"
        + (durable ? "" : " until all servers and this coordinator have restarted");
  }

  @Override
  public CompletionStage<Resource> reload() {
    return CompletableFuture.supplyAsync(this::reloadConfiguration, files);
  }

  private Resource reloadConfiguration() {
    ConfigReload.Outcome outcome;
    try {
      outcome = configuration.reload();
    } catch (ConfigException e) {
      throw failed(CONFLICT, "configuration not changed: " + ConfigReload.oneLine(e));
    }
    if (!outcome.applied().isEmpty()) {
      CompletableFuture<Integer> unused =
          owner.submit(
              (view, nowMs) ->
                  Decision.of(
                      new MetadataRecord.ConfigurationReloaded(outcome.applied().toString()),
                      outcome.applied().size()));
    }
    return new Resource.Reload(
        clock.millis(), changes(outcome.applied()), changes(outcome.restartNeeded()));
  }

  private static List<Resource.Change> changes(List<ConfigChange> changes) {
    return changes.stream()
        .map(change -> new Resource.Change(change.key(), change.from(), change.to()))
        .toList();
  }

  @Override
  public CompletionStage<Resource> reloadServer(String name) {
    return named.call(
        name,
        id ->
            servers
                .reload(id)
                .thenApply(
                    (ReloadConfigurationReply reply) -> {
                      if (reply.getStatus() != Status.OK) {
                        throw failed(
                            CONFLICT, name + ": configuration not changed: " + reply.getMessage());
                      }
                      return new Resource.Reload(
                          clock.millis(),
                          changesOf(reply.getAppliedList()),
                          changesOf(reply.getRestartNeededList()));
                    }));
  }

  private static List<Resource.Change> changesOf(List<ConfigurationChange> changes) {
    return changes.stream()
        .map(change -> new Resource.Change(change.getKey(), change.getFrom(), change.getTo()))
        .toList();
  }

  private static CompletionException failed(int status, String detail) {
    return new CompletionException(new ApiException(status, detail));
  }

  private static CompletionStage<Resource> refused(int status, String detail) {
    return CompletableFuture.failedFuture(new ApiException(status, detail));
  }
}
