package io.sluice.coordinator.api;

import io.sluice.common.auth.Revocation;
import io.sluice.common.auth.Revocation.Kind;
import io.sluice.common.auth.Revocation.Subject;
import io.sluice.common.auth.Revocations;
import io.sluice.common.auth.UserNames;
import io.sluice.common.error.PeerText;
import io.sluice.coordinator.cluster.RevocationTable;
import io.sluice.coordinator.state.ClusterView;
import io.sluice.coordinator.state.Decision;
import io.sluice.coordinator.state.Decisions;
import io.sluice.coordinator.state.LoggedChange;
import io.sluice.coordinator.state.MetadataRecord;
import io.sluice.coordinator.state.StateOwner;
import io.sluice.proto.Status;
import io.sluice.proto.UnregisterApplicationReply;
import io.sluice.proto.UnregisterApplicationRequest;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Revocations of tokens through the API, stored in the metadata log. Thread-safe. */
public final class TokenRevocations {
  private static final int BAD_REQUEST = 400;
  private static final int CONFLICT = 409;

  /**
   * Minimum time for which a revocation is stored, so that a shorter token lifetime does not make
   * tokens valid again that were issued with a longer one.
   */
  private static final long MIN_KEPT_MS = TimeUnit.DAYS.toMillis(7);

  private final StateOwner owner;
  private final Supplier<Decisions> decisions;
  private final OptionalLong tokenLifetimeMs;
  private final Clock clock;

  /**
   * @param tokenLifetimeMs lifetime of issued tokens; empty: this coordinator issues none
   * @param clock the clock of issued tokens
   */
  public TokenRevocations(
      StateOwner owner, Supplier<Decisions> decisions, OptionalLong tokenLifetimeMs, Clock clock) {
    this.owner = owner;
    this.decisions = decisions;
    this.tokenLifetimeMs = tokenLifetimeMs;
    this.clock = clock;
  }

  /** The revocations in force. */
  List<Revocation> all() {
    return owner.view().orders().revocations().inForceAt(clock.millis());
  }

  /** Revokes all tokens that were issued to a user until now. */
  CompletionStage<Revocation> revokeUser(String user) {
    if (!UserNames.isName(user)) {
      return CompletableFuture.failedFuture(
          new ApiException(
              BAD_REQUEST,
              "name of a user: expected "
                  + UserNames.EXPECTED
                  + ", found "
                  + PeerText.quoted(user)));
    }
    Subject subject = new Subject(Kind.USER, user);
    return AdminResult.submit(owner, (view, nowMs) -> revoked(view, subject, List.of()));
  }

  /** Revokes all tokens of an application that were issued until now, and ends the application. */
  CompletionStage<Revocation> revokeApplication(String application) {
    UnregisterApplicationRequest request =
        UnregisterApplicationRequest.newBuilder().setApplication(application).build();
    Subject subject = new Subject(Kind.APPLICATION, application);
    return AdminResult.submit(
        owner,
        (view, nowMs) -> {
          Decision<UnregisterApplicationReply> ended =
              decisions.get().applications().unregister(view, request, nowMs);
          return ended.reply().getStatus() == Status.OK
              ? revoked(view, subject, ended.records())
              : AdminResult.refused(BAD_REQUEST, ended.reply().getMessage());
        });
  }

  private Decision<AdminResult<Revocation>> revoked(
      ClusterView view, Subject subject, List<MetadataRecord> others) {
    if (tokenLifetimeMs.isEmpty()) {
      return AdminResult.refused(CONFLICT, "this coordinator issues no tokens: it has no identity");
    }
    RevocationTable table = view.orders().revocations();
    long atMs = clock.millis();
    if (!table.hasRoom(subject, atMs)) {
      return AdminResult.refused(
          CONFLICT,
          "this coordinator stores "
              + Revocations.MAX_OF_COORDINATOR
              + " revocations, the maximum: revoke a user instead of single applications, or"
              + " replace the authority, which revokes all tokens");
    }
    // Unique, because it is the revision of the list.
    long revokedAtMs = Math.max(atMs, table.revision() + 1);
    Revocation revocation =
        new Revocation(
            subject, revokedAtMs, revokedAtMs + Math.max(MIN_KEPT_MS, tokenLifetimeMs.getAsLong()));
    List<MetadataRecord> records = new ArrayList<>();
    records.add(new LoggedChange.TokensRevoked(revocation));
    records.addAll(others);
    return AdminResult.of(records, revocation);
  }
}
