package io.sluice.coordinator.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.sluice.common.auth.AuditLog;
import io.sluice.coordinator.history.ClusterHistory;
import io.sluice.coordinator.log.Backup;
import io.sluice.coordinator.log.InMemoryMetadataLog;
import io.sluice.coordinator.state.ClusterView;
import io.sluice.coordinator.state.StateClock;
import io.sluice.coordinator.state.StateCopies;
import io.sluice.coordinator.state.StateLog;
import io.sluice.coordinator.state.StateOwner;
import io.sluice.proto.BackupReply;
import io.sluice.proto.BackupRequest;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BackupsTest {
  private final Clock clock = Clock.fixed(Instant.ofEpochMilli(1234), ZoneOffset.UTC);
  private final StateOwner owner =
      new StateOwner(
          new StateClock(clock, () -> 0, 0),
          () -> {
            throw new IllegalStateException("no time passes");
          },
          new StateLog(InMemoryMetadataLog.keeping(), () -> 0, StateLog.Probe.NONE, 1 << 20),
          ClusterView.startedAt(0),
          new ClusterHistory(),
          (requests, oldestWaitNanos) -> {},
          (record, view, at) -> {});
  private final Backups backups =
      new Backups(new StateCopies(owner, new ClusterHistory()), "c1:19999", clock, new AuditLog());

  /** A call whose end the test reports. */
  private static final class Call extends ServerCallStreamObserver<BackupReply> {
    private final List<BackupReply> replies = new ArrayList<>();
    private Runnable onClose;
    private Runnable onCancel;
    private Status status;

    @Override
    public void onNext(BackupReply reply) {
      replies.add(reply);
    }

    @Override
    public void onError(Throwable failure) {
      status = Status.fromThrowable(failure);
    }

    @Override
    public void onCompleted() {
      status = Status.OK;
    }

    @Override
    public void setOnCloseHandler(Runnable handler) {
      onClose = handler;
    }

    @Override
    public void setOnCancelHandler(Runnable handler) {
      onCancel = handler;
    }

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public void setOnReadyHandler(Runnable handler) {}

    @Override
    public void request(int count) {}

    @Override
    public void setMessageCompression(boolean enable) {}

    @Override
    public void setCompression(String compression) {}

    @Override
    public void disableAutoInboundFlowControl() {}
  }

  private Call call() {
    Call call = new Call();
    backups.answer(BackupRequest.getDefaultInstance(), call, Runnable::run);
    return call;
  }

  @Test
  void sendsTheState() throws IOException {
    Call call = call();
    assertThat(call.status).isNull();

    owner.runPending();

    assertThat(call.status).isEqualTo(Status.OK);
    Backup backup = Backup.decode(call.replies.get(0).getFile().toByteArray());
    assertThat(backup.createdMs()).isEqualTo(1234);
    assertThat(backup.coordinator()).isEqualTo("c1:19999");
    assertThat(backup.leading()).isTrue();
  }

  @Test
  void sendsOneAtATime() {
    Call first = call();
    owner.runPending();

    Call second = call();

    assertThat(second.status.getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    first.onClose.run();
    Call third = call();
    third.onCancel.run();
    owner.runPending();
    assertThat(call().status).isNull();
  }
}
