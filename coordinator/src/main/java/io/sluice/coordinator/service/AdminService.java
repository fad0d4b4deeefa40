package io.sluice.coordinator.service;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.sluice.common.auth.Caller;
import io.sluice.coordinator.api.Api;
import io.sluice.coordinator.api.ApiAnswer;
import io.sluice.coordinator.api.ApiCall;
import io.sluice.proto.AdminGrpc;
import io.sluice.proto.ApiReply;
import io.sluice.proto.BackupReply;
import io.sluice.proto.BackupRequest;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Implements {@code sluice.v1.Admin}: the REST API over the control port, and backups. Serializing
 * long lists takes milliseconds, so a separate thread does it and event loops are not blocked.
 * Thread-safe.
 */
public final class AdminService extends AdminGrpc.AdminImplBase implements AutoCloseable {
  private static final int MAX_WAITING = 64;

  private final Api api;
  private final Backups backups;
  private final ThreadPoolExecutor executor;

  public AdminService(Api api, Backups backups) {
    this.api = api;
    this.backups = backups;
    this.executor =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MAX_WAITING),
            new DefaultThreadFactory("coordinator-api", true));
  }

  @Override
  public void call(io.sluice.proto.ApiCall request, StreamObserver<ApiReply> observer) {
    answer(ApiCall.Port.CONTROL, request, observer);
  }

  @Override
  public void backup(BackupRequest request, StreamObserver<BackupReply> observer) {
    backups.answer(request, observer, executor);
  }

  /** Answers a call whose permission another coordinator has checked. */
  void forwarded(io.sluice.proto.ApiCall request, StreamObserver<ApiReply> observer) {
    answer(ApiCall.Port.COORDINATOR, request, observer);
  }

  private void answer(
      ApiCall.Port port, io.sluice.proto.ApiCall request, StreamObserver<ApiReply> observer) {
    ApiCall call =
        new ApiCall(
            port,
            request.getMethod(),
            request.getPath(),
            request.getQuery(),
            request.getBody().toByteArray(),
            Caller.current(),
            PeerAddress.current());
    try {
      executor.execute(
          () -> {
            CompletionStage<Void> unused =
                api.answer(call).thenAccept(answer -> send(observer, answer));
          });
    } catch (RejectedExecutionException e) {
      observer.onError(
          Status.RESOURCE_EXHAUSTED
              .withDescription(
                  "the queue of REST API calls is full (maximum"
                      + " "
                      + MAX_WAITING
                      + "): retry later")
              .asRuntimeException());
    }
  }

  private static void send(StreamObserver<ApiReply> observer, ApiAnswer answer) {
    observer.onNext(
        ApiReply.newBuilder()
            .setStatus(answer.status())
            .setContentType(answer.contentType())
            .setBody(ByteString.copyFrom(answer.body()))
            .build());
    observer.onCompleted();
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
