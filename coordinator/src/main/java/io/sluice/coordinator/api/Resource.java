package io.sluice.coordinator.api;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the REST API answers with, field by field as in JSON. Times are milliseconds since 1970,
 * ages and spans milliseconds, sizes bytes. JSON has the fields of an unwrapped record beside the
 * others.
 */
public sealed interface Resource {

  /** {@code /api/v1/cluster}. */
  record Cluster(
      String version,
      long time,
      long uptimeMs,
      boolean ready,
      Map<String, Integer> serversByState,
      @JsonUnwrapped Work work,
      Memory memory,
      Space disks,
      @JsonUnwrapped Kept kept,
      @JsonUnwrapped Traffic traffic)
      implements Resource {}

  /** What live applications do. */
  record Work(int applications, long shufflesAssigned, int fallbackShuffles) {}

  /** What servers have on disks and in memory. */
  record Kept(int badDisks, long storedBytes) {}

  /** Connections of clients and what passes over them. */
  record Traffic(int connections, long pushBytesPerSecond, long fetchBytesPerSecond) {}

  /**
   * Memory for shuffle data.
   *
   * @param pendingSpillBytes part of the used bytes that waits to be written
   */
  record Memory(long usedBytes, long capacityBytes, long pendingSpillBytes) {}

  /** Room on disks. */
  record Space(long capacityBytes, long freeBytes) {}

  /** {@code /api/v1/servers}. */
  record Servers(long time, List<Server> servers) implements Resource {}

  /** A server as lists show it. */
  record Server(
      @JsonUnwrapped Identity identity,
      String state,
      List<String> tags,
      long heartbeatAgeMs,
      Memory memory,
      Space space,
      List<Disk> disks,
      @JsonUnwrapped Traffic traffic,
      @JsonUnwrapped Content content,
      Move move) {
    public String name() {
      return identity.name;
    }
  }

  /** How a server is known and reached. */
  record Identity(String name, String host, int rpcPort, int nettyPort, long epoch) {}

  /** What a server holds, and what was assigned to it. */
  record Content(int pendingMerges, long storedBytes, long partitionsAssigned) {}

  /**
   * How far a leaving server has handed on what it holds; null of any other.
   *
   * @param waitsFor why the first shuffle that waits does; empty: none does
   */
  record Move(
      int shufflesLeft, long bytesLeft, int shufflesMoved, long movedBytes, String waitsFor) {}

  /** One directory of a server. */
  record Disk(
      String path,
      String kind,
      long capacityBytes,
      long freeBytes,
      boolean takesData,
      String health,
      String cause,
      int queueDepth,
      long writtenBytes) {}

  /**
   * {@code /api/v1/servers/{server}}.
   *
   * @param decommission the order that the server accepted through this coordinator; null: none
   */
  record ServerDetail(
      long time, Server server, List<Held> applications, OrderedDecommission decommission)
      implements Resource {}

  /**
   * An order to decommission.
   *
   * @param deadlineMs after the order, when the server leaves anyway; 0: never
   */
  record OrderedDecommission(long ageMs, long deadlineMs, boolean move) {}

  /** What a server holds of one application. */
  record Held(String application, int shuffles, long storedBytes) {}

  /** {@code /api/v1/applications}. */
  record Applications(long time, List<Application> applications) implements Resource {}

  /**
   * An application.
   *
   * @param servers how many servers hold data of it
   * @param skew the worst of its shuffles; null if none is known
   */
  record Application(
      String name,
      String user,
      String clientVersion,
      String state,
      @JsonUnwrapped Lease lease,
      int shuffles,
      long storedBytes,
      int servers,
      @JsonUnwrapped FallbackSummary fallbacks,
      Double skew) {}

  /** How long an application has been registered, and how long its lease still lasts. */
  record Lease(long registeredAgeMs, long leaseRemainingMs) {}

  /** Shuffles of an application that use its engine's own, and why the last of them does. */
  record FallbackSummary(int fallbackShuffles, String lastFallbackReason) {}

  /** {@code /api/v1/applications/{application}}. */
  record ApplicationDetail(long time, Application application, List<Holder> servers)
      implements Resource {}

  /** A server that holds data of an application. */
  record Holder(String server, int shuffles, long storedBytes) {}

  /** {@code /api/v1/applications/{application}/shuffles}. */
  record Shuffles(long time, List<Shuffle> shuffles) implements Resource {}

  /** {@code /api/v1/applications/{application}/shuffles/{shuffle}}. */
  record ShuffleDetail(long time, Shuffle shuffle, List<Share> servers) implements Resource {}

  /**
   * A shuffle.
   *
   * @param replicas 0 if this coordinator did not assign it
   * @param assignedAgeMs null if this coordinator did not assign it
   * @param skew bytes of the largest partition over those of the mean written one; null while
   *     nothing is known of its bytes
   */
  record Shuffle(
      String application,
      int shuffle,
      int partitions,
      int replicas,
      int assignments,
      Long assignedAgeMs,
      int servers,
      long storedBytes,
      long largestPartitionBytes,
      Double skew) {}

  /** One server's part of a shuffle. */
  record Share(
      String server,
      String state,
      int partitionsAssigned,
      int partitionsWritten,
      long storedBytes,
      long largestPartitionBytes) {}

  /** {@code /api/v1/events}, newest first. */
  record Events(long time, List<Event> events) implements Resource {}

  /** Something that happened. */
  record Event(
      long number,
      long firstTime,
      long lastTime,
      int count,
      String severity,
      String kind,
      String server,
      String application,
      String text) {}

  /**
   * {@code /api/v1/throughput}: columns of equal length, oldest first.
   *
   * @param server null: the whole cluster
   */
  record Throughput(
      long time,
      long intervalMs,
      String server,
      List<Long> times,
      List<Long> pushBytesPerSecond,
      List<Long> fetchBytesPerSecond,
      List<Long> storedBytes,
      List<Long> memoryUsedBytes)
      implements Resource {}

  /**
   * {@code /api/v1/balance}: how evenly partitions went to the servers that are active.
   *
   * @param maxOverMean what the server with the most got, over the mean; null before any assignment
   */
  record Balance(long time, Double maxOverMean, List<BalanceShare> servers) implements Resource {}

  /** One server's part of all assignments since this coordinator started. */
  record BalanceShare(
      String server,
      String state,
      long partitionsAssigned,
      long storedBytes,
      double memoryUsedShare,
      double diskUsedShare) {}

  /**
   * {@code /api/v1/quotas}.
   *
   * @param limitsSet limits that operators set over the API, by user
   */
  record Quotas(long time, List<UserQuota> users, Map<String, LimitsOrder> limitsSet)
      implements Resource {}

  /**
   * What a user has, of what the user may have.
   *
   * @param applicationBytesMax of each application; null: no limit
   * @param applicationPartitionsMax as the former
   * @param overQuota applications of which servers take nothing more
   */
  record UserQuota(
      String user,
      Quota applications,
      Quota bytes,
      Quota partitions,
      Long applicationBytesMax,
      Long applicationPartitionsMax,
      List<OverQuota> overQuota) {}

  /**
   * How much of something.
   *
   * @param max null: no limit
   */
  record Quota(long used, Long max) {}

  /** An application of which servers take nothing more. */
  record OverQuota(String application, String reason) {}

  /** What was asked for is done. */
  record Done(long time, String text) implements Resource {}

  /**
   * {@code /api/v1/exclusions}.
   *
   * @param file the exclude file; null: there is none
   * @param kept whether those made over the API survive a restart of this coordinator
   * @param entries all of them, by the file or over the API
   */
  record Exclusions(long time, String file, boolean kept, List<String> entries)
      implements Resource {}

  /**
   * A configuration that was read again.
   *
   * @param restartNeeded what the files say otherwise and only a restart brings
   */
  record Reload(long time, List<Change> applied, List<Change> restartNeeded) implements Resource {}

  /** A key with another value than before. */
  record Change(String key, String from, String to) {}

  /**
   * {@code /api/v1/caller}: who asks, as proved.
   *
   * @param user null: nobody
   * @param mayRead whether the lists are answered
   * @param mayChange whether acts are
   * @param tokens whether this coordinator knows users who could prove themselves
   */
  record Caller(
      long time, String user, String role, boolean mayRead, boolean mayChange, boolean tokens)
      implements Resource {}

  /**
   * How a server is to be decommissioned.
   *
   * @param deadlineMs after which it ends with data that is still wanted; null or 0: never
   * @param move whether other servers get what it holds; null: no
   */
  record DecommissionOrder(Long deadlineMs, Boolean move) {
    public long deadline() {
      return deadlineMs == null ? 0 : deadlineMs;
    }

    public boolean moves() {
      return move != null && move;
    }
  }

  /**
   * Limits of a user; of each: null: as the rules say, -1: none.
   *
   * @param applications live ones of the user
   * @param bytes of all of them
   * @param partitions of all of them, copies counted
   * @param applicationBytes of each of them
   * @param applicationPartitions of each of them, copies counted
   */
  record LimitsOrder(
      Long applications,
      Long bytes,
      Long partitions,
      Long applicationBytes,
      Long applicationPartitions) {
    /** The limits that are set, named as in the file of rules. */
    public Map<String, Long> named() {
      Map<String, Long> named = new HashMap<>();
      put(named, "applications", applications);
      put(named, "bytes", bytes);
      put(named, "partitions", partitions);
      put(named, "application.bytes", applicationBytes);
      put(named, "application.partitions", applicationPartitions);
      return named;
    }

    static LimitsOrder of(Map<String, Long> named) {
      return new LimitsOrder(
          named.get("applications"),
          named.get("bytes"),
          named.get("partitions"),
          named.get("application.bytes"),
          named.get("application.partitions"));
    }

    private static void put(Map<String, Long> named, String name, Long value) {
      if (value != null) {
        named.put(name, value);
      }
    }
  }

  /** Why there is no answer, as RFC 9457 writes it. */
  record Problem(String type, String title, int status, String detail) implements Resource {}
}
