package io.sluice.server.cluster;

import io.grpc.stub.StreamObserver;
import io.sluice.common.auth.Caller;
import io.sluice.common.config.ConfigChange;
import io.sluice.common.config.ConfigEntry;
import io.sluice.common.config.ConfigException;
import io.sluice.common.config.ConfigReload;
import io.sluice.common.error.UnexpectedFailure;
import io.sluice.proto.ConfigurationChange;
import io.sluice.proto.ConfigurationEntry;
import io.sluice.proto.DecommissionReply;
import io.sluice.proto.DecommissionRequest;
import io.sluice.proto.GetConfigurationReply;
import io.sluice.proto.GetConfigurationRequest;
import io.sluice.proto.GetStatusReply;
import io.sluice.proto.GetStatusRequest;
import io.sluice.proto.GetThreadsReply;
import io.sluice.proto.GetThreadsRequest;
import io.sluice.proto.ReloadConfigurationReply;
import io.sluice.proto.ReloadConfigurationRequest;
import io.sluice.proto.ShuffleServerControlGrpc;
import io.sluice.proto.Status;
import io.sluice.proto.UnregisterShuffleApplicationRequest;
import io.sluice.proto.UnregisterShufflesReply;
import io.sluice.proto.UnregisterShufflesRequest;
import io.sluice.server.log.ShuffleStore;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code sluice.v1.ShuffleServerControl}. A refusal is a reply with a status, never a gRPC error.
 */
public final class ControlService extends ShuffleServerControlGrpc.ShuffleServerControlImplBase {
  private static final Logger log = LoggerFactory.getLogger(ControlService.class);

  private final ShuffleStore store;
  private final ServerReport report;
  private final Decommission decommission;
  private final ConfigReload configuration;
  private final Supplier<GetThreadsReply> threads;
  private final Runnable flush;

  /**
   * @param threads takes a thread dump
   * @param flush starts to spill all memory, and returns at once
   */
  public ControlService(
      ShuffleStore store,
      ServerReport report,
      Decommission decommission,
      ConfigReload configuration,
      Supplier<GetThreadsReply> threads,
      Runnable flush) {
    this.store = store;
    this.report = report;
    this.decommission = decommission;
    this.configuration = configuration;
    this.threads = threads;
    this.flush = flush;
  }

  @Override
  public void unregisterShuffles(
      UnregisterShufflesRequest request, StreamObserver<UnregisterShufflesReply> replies) {
    String application = request.getApplication();
    if (request.getShufflesCount() == 0) {
      answer(replies, application, () -> 0);
    } else {
      answer(
          replies, application, () -> store.removeShuffles(application, request.getShufflesList()));
    }
  }

  @Override
  public void unregisterShuffleApplication(
      UnregisterShuffleApplicationRequest request,
      StreamObserver<UnregisterShufflesReply> replies) {
    String application = request.getApplication();
    answer(replies, application, () -> store.removeApplication(application));
  }

  @Override
  public void decommission(DecommissionRequest request, StreamObserver<DecommissionReply> replies) {
    Decommission.Outcome outcome;
    if (request.getCancel()) {
      outcome = decommission.cancel();
    } else if (request.getStay()) {
      outcome = decommission.drain();
      if (outcome.status() == Status.OK) {
        flush.run();
      }
    } else {
      outcome = decommission.begin(request.getDeadlineMs(), request.getMove());
    }
    replies.onNext(
        DecommissionReply.newBuilder()
            .setStatus(outcome.status())
            .setMessage(outcome.message())
            .build());
    replies.onCompleted();
  }

  @Override
  public void reloadConfiguration(
      ReloadConfigurationRequest request, StreamObserver<ReloadConfigurationReply> replies) {
    ReloadConfigurationReply.Builder reply = ReloadConfigurationReply.newBuilder();
    try {
      ConfigReload.Outcome outcome = configuration.reload();
      reply.setStatus(Status.OK);
      outcome.applied().forEach(change -> reply.addApplied(toProto(change)));
      outcome.restartNeeded().forEach(change -> reply.addRestartNeeded(toProto(change)));
    } catch (ConfigException e) {
      reply.setStatus(Status.BAD_REQUEST).setMessage(ConfigReload.oneLine(e));
    }
    replies.onNext(reply.build());
    replies.onCompleted();
  }

  private static ConfigurationChange toProto(ConfigChange change) {
    return ConfigurationChange.newBuilder()
        .setKey(change.key())
        .setFrom(change.from())
        .setTo(change.to())
        .build();
  }

  @Override
  public void getConfiguration(
      GetConfigurationRequest request, StreamObserver<GetConfigurationReply> replies) {
    GetConfigurationReply.Builder reply = GetConfigurationReply.newBuilder().setStatus(Status.OK);
    for (ConfigEntry entry : configuration.entries()) {
      reply.addEntries(
          ConfigurationEntry.newBuilder()
              .setKey(entry.key())
              .setValue(entry.value())
              .setSource(entry.source()));
    }
    replies.onNext(reply.build());
    replies.onCompleted();
  }

  @Override
  public void getThreads(GetThreadsRequest request, StreamObserver<GetThreadsReply> replies) {
    replies.onNext(threads.get());
    replies.onCompleted();
  }

  @Override
  public void getStatus(GetStatusRequest request, StreamObserver<GetStatusReply> replies) {
    GetStatusReply reply;
    try {
      reply = report.status();
    } catch (RuntimeException e) {
      reply =
          GetStatusReply.newBuilder()
              .setStatus(Status.INTERNAL)
              .setMessage(
                  UnexpectedFailure.logged(log, "GetStatus", Caller.current().text(), e)
                      .getMessage())
              .build();
    }
    replies.onNext(reply);
    replies.onCompleted();
  }

  private static void answer(
      StreamObserver<UnregisterShufflesReply> replies, String application, IntSupplier removal) {
    UnregisterShufflesReply.Builder reply = UnregisterShufflesReply.newBuilder();
    if (application.isEmpty()) {
      reply
          .setStatus(Status.BAD_REQUEST)
          .setMessage("application: expected a name, found an empty" + " string");
    } else {
      try {
        int removed = removal.getAsInt();
        reply.setStatus(Status.OK).setRemoved(removed);
        if (removed > 0) {
          log.atInfo()
              .addKeyValue("application", application)
              .addKeyValue("shuffles", removed)
              .log("unregistered shuffles");
        }
      } catch (RuntimeException e) {
        reply
            .setStatus(Status.INTERNAL)
            .setMessage(
                UnexpectedFailure.logged(log, "unregister", Caller.current().text(), e)
                    .getMessage());
      }
    }
    replies.onNext(reply.build());
    replies.onCompleted();
  }
}
