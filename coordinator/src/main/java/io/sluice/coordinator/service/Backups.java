package io.sluice.coordinator.service;

import com.google.protobuf.UnsafeByteOperations;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.sluice.common.auth.AdminEntry;
import io.sluice.common.auth.AuditLog;
import io.sluice.common.auth.Caller;
import io.sluice.common.error.PeerText;
import io.sluice.coordinator.log.Backup;
import io.sluice.coordinator.state.StateCopies;
import io.sluice.proto.BackupReply;
import io.sluice.proto.BackupRequest;
import java.io.IOException;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Sends backups of the state, one at a time, because each is in memory until the caller has read
 * it. Thread-safe.
 */
public final class Backups {
  private static final String CALL = "Admin/Backup";
  private static final int MAX_REASON = 500;

  private final StateCopies copies;
  private final String coordinator;
  private final InstantSource clock;
  private final AuditLog audit;
  private final AtomicBoolean busy = new AtomicBoolean();

  /**
   * @param coordinator address of this coordinator in its quorum; empty: it has none
   */
  public Backups(StateCopies copies, String coordinator, InstantSource clock, AuditLog audit) {
    this.copies = copies;
    this.coordinator = coordinator;
    this.clock = clock;
    this.audit = audit;
  }

  /**
   * Answers a call.
   *
   * @param executor encodes the state, which takes milliseconds
   */
  void answer(BackupRequest request, StreamObserver<BackupReply> observer, Executor executor) {
    if (!busy.compareAndSet(false, true)) {
      observer.onError(
          Status.RESOURCE_EXHAUSTED
              .withDescription("another caller receives a backup: retry later")
              .asException());
      return;
    }
    ServerCallStreamObserver<BackupReply> call = (ServerCallStreamObserver<BackupReply>) observer;
    call.setOnCloseHandler(() -> busy.set(false));
    call.setOnCancelHandler(() -> busy.set(false));
    String caller = Caller.current().text();
    String peer = PeerAddress.current();
    CompletableFuture<Void> unused =
        copies
            .copy()
            .thenApplyAsync(copy -> reply(request, copy), executor)
            .handle(
                (reply, failure) -> {
                  if (failure == null) {
                    audit.write(new AdminEntry(CALL, "OK", caller, peer, ""));
                    observer.onNext(reply);
                    observer.onCompleted();
                  } else {
                    StatusException refusal = refusal(failure);
                    audit.write(
                        new AdminEntry(
                            CALL,
                            refusal.getStatus().getCode().name(),
                            caller,
                            peer,
                            refusal.getStatus().getDescription()));
                    observer.onError(refusal);
                  }
                  return null;
                });
  }

  private BackupReply reply(BackupRequest request, StateCopies.Copy copy) {
    if (!copy.leading() && !request.getWithoutQuorum()) {
      throw new CompletionException(
          Status.FAILED_PRECONDITION
              .withDescription("this coordinator does not lead, so it may lack the newest changes")
              .asException());
    }
    try {
      return BackupReply.newBuilder()
          .setFile(
              UnsafeByteOperations.unsafeWrap(
                  new Backup(clock.millis(), coordinator, copy.leading(), copy.records()).encode()))
          .build();
    } catch (IOException e) {
      throw new CompletionException(e);
    }
  }

  private static StatusException refusal(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return cause instanceof StatusException known
        ? known
        : Status.UNAVAILABLE
            .withDescription(PeerText.clipped(String.valueOf(cause.getMessage()), MAX_REASON))
            .asException();
  }
}
