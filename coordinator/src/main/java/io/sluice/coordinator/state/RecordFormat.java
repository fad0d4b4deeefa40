package io.sluice.coordinator.state;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sluice.common.auth.Revocation;
import io.sluice.coordinator.cluster.Application;
import io.sluice.coordinator.cluster.DecommissionOrder;
import io.sluice.coordinator.cluster.ExcludeList;
import io.sluice.coordinator.cluster.Fallbacks;
import io.sluice.coordinator.cluster.RemoteDirectories;
import io.sluice.coordinator.history.ClusterEvent;
import io.sluice.coordinator.history.Event;
import io.sluice.coordinator.history.Throughput;
import io.sluice.coordinator.history.ThroughputBatch;
import io.sluice.proto.LoggedApplication;
import io.sluice.proto.LoggedApplicationEnd;
import io.sluice.proto.LoggedDecommission;
import io.sluice.proto.LoggedDecommissionEnd;
import io.sluice.proto.LoggedEvent;
import io.sluice.proto.LoggedExclusions;
import io.sluice.proto.LoggedExpiry;
import io.sluice.proto.LoggedFallbacks;
import io.sluice.proto.LoggedField;
import io.sluice.proto.LoggedLimit;
import io.sluice.proto.LoggedLimits;
import io.sluice.proto.LoggedRecord;
import io.sluice.proto.LoggedRegistration;
import io.sluice.proto.LoggedRemoteDirectories;
import io.sluice.proto.LoggedRevocation;
import io.sluice.proto.LoggedSamples;
import io.sluice.proto.LoggedServerSamples;
import io.sluice.proto.LoggedThroughput;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Encodes each logged change as one {@code LoggedRecord} of {@code coordinator_log.proto}. Equal
 * changes give equal bytes: lists whose order has no meaning are sorted.
 */
final class RecordFormat {
  private RecordFormat() {}

  static byte[] encode(LoggedChange change) {
    LoggedRecord.Builder record = LoggedRecord.newBuilder();
    if (change instanceof LoggedChange.ExclusionsSet set) {
      record.setExclusions(LoggedExclusions.newBuilder().addAllEntries(set.excluded().sorted()));
    } else if (change instanceof LoggedChange.DecommissionOrdered ordered) {
      record.setDecommissionOrdered(order(ordered.order()));
    } else if (change instanceof LoggedChange.DecommissionEnded ended) {
      record.setDecommissionEnded(
          LoggedDecommissionEnd.newBuilder()
              .setServer(ended.server())
              .setCancelled(ended.cancelled()));
    } else if (change instanceof LoggedChange.ApplicationEnded ended) {
      record.setApplicationEnded(application(ended.application()));
    } else if (change instanceof LoggedChange.ApplicationRegistered registered) {
      record.setApplicationRegistered(
          LoggedRegistration.newBuilder()
              .setApplication(registered.application())
              .setUser(registered.user())
              .setClientVersion(registered.clientVersion())
              .addAllServers(registered.servers().stream().sorted().toList())
              .setRegisteredAtMs(registered.atMs()));
    } else if (change instanceof LoggedChange.ApplicationExpired expired) {
      record.setApplicationExpired(
          LoggedExpiry.newBuilder()
              .setApplication(expired.application())
              .setSilentMs(expired.silentMs()));
    } else if (change instanceof LoggedChange.ApplicationForgotten forgotten) {
      record.setApplicationForgotten(
          LoggedApplicationEnd.newBuilder().setApplication(forgotten.application()));
    } else if (change instanceof LoggedChange.FallbacksReported reported) {
      record.setFallbacks(
          LoggedFallbacks.newBuilder()
              .setApplication(reported.application())
              .setShuffles(reported.fallbacks().shuffles())
              .setLastReason(reported.fallbacks().lastReason()));
    } else if (change instanceof LoggedChange.LimitsSet set) {
      record.setLimits(limits(set));
    } else if (change instanceof LoggedChange.TokensRevoked revoked) {
      record.setRevocation(revocation(revoked.revocation()));
    } else if (change instanceof LoggedChange.RemoteDirectoriesChanged changed) {
      record.setRemoteDirectories(remoteDirectories(changed.directories()));
    } else if (change instanceof LoggedChange.EventListed listed) {
      record.setEvent(event(listed.event()));
    } else if (change instanceof LoggedChange.ApplicationFinished finished) {
      record.setApplicationFinished(FinishedApplicationFormat.encode(finished.finished()));
    } else if (change instanceof LoggedChange.ThroughputSampled sampled) {
      record.setThroughput(throughput(sampled.batch()));
    } else {
      throw new IllegalArgumentException("no format for " + change);
    }
    return record.build().toByteArray();
  }

  /**
   * Decodes a record.
   *
   * @throws IOException if it is not a record, or is of a newer version
   */
  static LoggedChange decode(byte[] bytes) throws IOException {
    LoggedRecord record;
    try {
      record = LoggedRecord.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw new IOException("record cannot be decoded: " + e.getMessage(), e);
    }
    return switch (record.getChangeCase()) {
      case EXCLUSIONS ->
          new LoggedChange.ExclusionsSet(
              ExcludeList.parse(record.getExclusions().getEntriesList()));
      case DECOMMISSION_ORDERED ->
          new LoggedChange.DecommissionOrdered(order(record.getDecommissionOrdered()));
      case DECOMMISSION_ENDED ->
          new LoggedChange.DecommissionEnded(
              record.getDecommissionEnded().getServer(),
              record.getDecommissionEnded().getCancelled());
      case APPLICATION_ENDED ->
          new LoggedChange.ApplicationEnded(application(record.getApplicationEnded()));
      case APPLICATION_FORGOTTEN ->
          new LoggedChange.ApplicationForgotten(record.getApplicationForgotten().getApplication());
      case FALLBACKS ->
          new LoggedChange.FallbacksReported(
              record.getFallbacks().getApplication(),
              new Fallbacks(
                  record.getFallbacks().getShuffles(), record.getFallbacks().getLastReason()));
      case LIMITS -> limits(record.getLimits());
      case REVOCATION -> new LoggedChange.TokensRevoked(revocation(record.getRevocation()));
      case REMOTE_DIRECTORIES ->
          new LoggedChange.RemoteDirectoriesChanged(
              remoteDirectories(record.getRemoteDirectories()));
      case EVENT -> new LoggedChange.EventListed(event(record.getEvent()));
      case THROUGHPUT -> new LoggedChange.ThroughputSampled(throughput(record.getThroughput()));
      case APPLICATION_REGISTERED ->
          new LoggedChange.ApplicationRegistered(
              record.getApplicationRegistered().getApplication(),
              record.getApplicationRegistered().getUser(),
              record.getApplicationRegistered().getClientVersion(),
              Set.copyOf(record.getApplicationRegistered().getServersList()),
              record.getApplicationRegistered().getRegisteredAtMs());
      case APPLICATION_EXPIRED ->
          new LoggedChange.ApplicationExpired(
              record.getApplicationExpired().getApplication(),
              record.getApplicationExpired().getSilentMs());
      case APPLICATION_FINISHED ->
          new LoggedChange.ApplicationFinished(
              FinishedApplicationFormat.decode(record.getApplicationFinished()));
      case CHANGE_NOT_SET ->
          throw new IOException("record has a type unknown to this version: start a newer version");
    };
  }

  private static LoggedDecommission order(DecommissionOrder order) {
    return LoggedDecommission.newBuilder()
        .setServer(order.server())
        .setEpoch(order.epoch())
        .setDeadlineMs(order.deadlineMs())
        .setMove(order.move())
        .setOrderedAtMs(order.orderedAtMs())
        .build();
  }

  private static DecommissionOrder order(LoggedDecommission order) {
    return new DecommissionOrder(
        order.getServer(),
        order.getEpoch(),
        order.getDeadlineMs(),
        order.getMove(),
        order.getOrderedAtMs());
  }

  private static LoggedApplication application(Application application) {
    return LoggedApplication.newBuilder()
        .setApplication(application.name())
        .setUser(application.user())
        .setClientVersion(application.clientVersion())
        .setRegisteredAtMs(application.registeredAtMs())
        .setEndedAtMs(application.sinceMs())
        .setShuffles(application.shuffleCount())
        .setFallbackShuffles(application.fallbacks().shuffles())
        .setLastFallbackReason(application.fallbacks().lastReason())
        .build();
  }

  private static Application application(LoggedApplication application) {
    return Application.restored(
        application.getApplication(),
        application.getUser(),
        application.getClientVersion(),
        application.getRegisteredAtMs(),
        application.getEndedAtMs(),
        application.getShuffles(),
        new Fallbacks(application.getFallbackShuffles(), application.getLastFallbackReason()));
  }

  private static LoggedLimits limits(LoggedChange.LimitsSet set) {
    LoggedLimits.Builder limits = LoggedLimits.newBuilder().setUser(set.user());
    new TreeMap<>(set.named())
        .forEach(
            (name, max) -> limits.addLimits(LoggedLimit.newBuilder().setName(name).setMax(max)));
    return limits.build();
  }

  private static LoggedChange limits(LoggedLimits limits) {
    Map<String, Long> named = new HashMap<>();
    limits.getLimitsList().forEach(limit -> named.put(limit.getName(), limit.getMax()));
    return new LoggedChange.LimitsSet(limits.getUser(), named);
  }

  private static LoggedRemoteDirectories remoteDirectories(RemoteDirectories directories) {
    return LoggedRemoteDirectories.newBuilder()
        .setServer(directories.server())
        .setPath(directories.path())
        .addAllTags(directories.tags())
        .addAllCurrent(directories.current())
        .addAllFormer(directories.former())
        .setChangedAtMs(directories.changedAtMs())
        .build();
  }

  private static RemoteDirectories remoteDirectories(LoggedRemoteDirectories logged) {
    return new RemoteDirectories(
        logged.getServer(),
        logged.getPath(),
        logged.getTagsList(),
        logged.getCurrentList(),
        logged.getFormerList(),
        logged.getChangedAtMs());
  }

  private static LoggedRevocation revocation(Revocation revocation) {
    LoggedRevocation.Builder logged =
        LoggedRevocation.newBuilder()
            .setRevokedAtMs(revocation.revokedAtMs())
            .setExpiryMs(revocation.expiryMs());
    String name = revocation.subject().name();
    switch (revocation.subject().kind()) {
      case USER -> logged.setUser(name);
      case APPLICATION -> logged.setApplication(name);
    }
    return logged.build();
  }

  private static Revocation revocation(LoggedRevocation logged) throws IOException {
    return switch (logged.getSubjectCase()) {
      case USER ->
          Revocation.ofUser(logged.getUser(), logged.getRevokedAtMs(), logged.getExpiryMs());
      case APPLICATION ->
          Revocation.ofApplication(
              logged.getApplication(), logged.getRevokedAtMs(), logged.getExpiryMs());
      case SUBJECT_NOT_SET ->
          throw new IOException("revocation has an unknown subject: start a newer version");
    };
  }

  private static LoggedEvent event(ClusterEvent listed) {
    LoggedEvent.Builder event =
        LoggedEvent.newBuilder()
            .setNumber(listed.number())
            .setFirstAtMs(listed.first().toEpochMilli())
            .setLastAtMs(listed.last().toEpochMilli())
            .setCount(listed.count())
            .setKind(listed.event().kind().name());
    for (Event.Field field : listed.event().fields()) {
      event.addFields(LoggedField.newBuilder().setKey(field.key()).setValue(field.value()));
    }
    return event.build();
  }

  private static ClusterEvent event(LoggedEvent event) throws IOException {
    Event.Kind kind;
    try {
      kind = Event.Kind.valueOf(event.getKind());
    } catch (IllegalArgumentException e) {
      throw new IOException(
          "event has the unknown kind " + event.getKind() + ": start a newer version", e);
    }
    return new ClusterEvent(
        event.getNumber(),
        Instant.ofEpochMilli(event.getFirstAtMs()),
        Instant.ofEpochMilli(event.getLastAtMs()),
        event.getCount(),
        new Event(
            kind,
            event.getFieldsList().stream()
                .map(field -> new Event.Field(field.getKey(), field.getValue()))
                .toList()));
  }

  private static LoggedThroughput throughput(ThroughputBatch batch) {
    LoggedThroughput.Builder throughput =
        LoggedThroughput.newBuilder().setCluster(samples(batch.cluster()));
    new TreeMap<>(batch.servers())
        .forEach(
            (server, samples) ->
                throughput.addServers(
                    LoggedServerSamples.newBuilder()
                        .setServer(server)
                        .setSamples(samples(samples))));
    return throughput.build();
  }

  private static ThroughputBatch throughput(LoggedThroughput throughput) throws IOException {
    Map<String, List<Throughput>> servers = new HashMap<>();
    for (LoggedServerSamples server : throughput.getServersList()) {
      servers.put(server.getServer(), samples(server.getSamples()));
    }
    return new ThroughputBatch(samples(throughput.getCluster()), servers);
  }

  private static LoggedSamples samples(List<Throughput> samples) {
    LoggedSamples.Builder columns = LoggedSamples.newBuilder();
    long beforeMs = 0;
    for (Throughput sample : samples) {
      columns
          .addTimesMs(sample.atMs() - beforeMs)
          .addPushBytesPerSecond(sample.pushBytesPerSecond())
          .addFetchBytesPerSecond(sample.fetchBytesPerSecond())
          .addStoredBytes(sample.storedBytes())
          .addMemoryUsedBytes(sample.memoryUsedBytes());
      beforeMs = sample.atMs();
    }
    return columns.build();
  }

  private static List<Throughput> samples(LoggedSamples columns) throws IOException {
    int count = columns.getTimesMsCount();
    if (columns.getPushBytesPerSecondCount() != count
        || columns.getFetchBytesPerSecondCount() != count
        || columns.getStoredBytesCount() != count
        || columns.getMemoryUsedBytesCount() != count) {
      throw new IOException("throughput samples have columns of different lengths");
    }
    List<Throughput> samples = new ArrayList<>(count);
    long atMs = 0;
    for (int i = 0; i < count; i++) {
      atMs += columns.getTimesMs(i);
      samples.add(
          new Throughput(
              atMs,
              columns.getPushBytesPerSecond(i),
              columns.getFetchBytesPerSecond(i),
              columns.getStoredBytes(i),
              columns.getMemoryUsedBytes(i)));
    }
    return samples;
  }
}
