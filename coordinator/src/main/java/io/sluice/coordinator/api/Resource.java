package io.sluice.coordinator.api;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Resources of the REST API; record components are JSON fields. Times are in milliseconds since
 * 1970, ages and durations in milliseconds, sizes in bytes. JSON contains the fields of an
 * unwrapped record instead of the record.
 */
public sealed interface Resource {

  /** {@code /api/v1/cluster}. */
  record Cluster(
      String version,
      long time,
      long uptimeMs,
      boolean ready,
      Map<String, Integer> serversByState,
      @JsonUnwrapped ApplicationTotals totals,
      Memory memory,
      DiskSpace disks,
      @JsonUnwrapped Storage storage,
      @JsonUnwrapped Traffic traffic)
      implements Resource {}

  /** Totals of live applications and their shuffles. */
  record ApplicationTotals(int applications, long shufflesAssigned, int fallbackShuffles) {}

  /** Failed disks, and shuffle data on disks and in memory. */
  record Storage(int badDisks, long storedBytes) {}

  /** Client connections and their throughput. */
  record Traffic(int connections, long pushBytesPerSecond, long fetchBytesPerSecond) {}

  /**
   * Memory for shuffle data.
   *
   * @param pendingSpillBytes part of {@code usedBytes} that is queued for spilling
   */
  record Memory(long usedBytes, long capacityBytes, long pendingSpillBytes) {}

  /** Capacity and free space of disks. */
  record DiskSpace(long capacityBytes, long freeBytes) {}

  /** {@code /api/v1/servers}. */
  record Servers(long time, List<Server> servers) implements Resource {}

  /** A server. */
  record Server(
      @JsonUnwrapped Identity identity,
      String state,
      List<String> tags,
      long heartbeatAgeMs,
      Memory memory,
      DiskSpace space,
      List<Disk> disks,
      @JsonUnwrapped Traffic traffic,
      @JsonUnwrapped ServerData data,
      Move move) {
    public String name() {
      return identity.name;
    }
  }

  /**
   * Name and addresses of a server.
   *
   * @param zone empty: not known
   */
  record Identity(String name, String host, int rpcPort, int nettyPort, long epoch, String zone) {}

  /** Stored data of a server and partitions assigned to it. */
  record ServerData(int pendingMerges, long storedBytes, long partitionsAssigned) {}

  /**
   * Progress of a server that moves its data to other servers; null for any other server.
   *
   * @param waitsFor reason why the first waiting shuffle cannot be moved; empty if none waits
   */
  record Move(
      int shufflesLeft, long bytesLeft, int shufflesMoved, long movedBytes, String waitsFor) {}

  /** One data directory of a server. */
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
   * @param decommission the decommission that the server accepted through this coordinator; null if
   *     there is none
   */
  record ServerDetail(
      long time,
      Server server,
      List<StoredApplication> applications,
      OrderedDecommission decommission)
      implements Resource {}

  /**
   * An accepted decommission.
   *
   * @param deadlineMs time after the order at which the server exits even if its data is still
   *     needed; 0: never
   */
  record OrderedDecommission(long ageMs, long deadlineMs, boolean move) {}

  /** Data of one application on a server. */
  record StoredApplication(String application, int shuffles, long storedBytes) {}

  /** {@code /api/v1/applications}. */
  record Applications(long time, List<Application> applications) implements Resource {}

  /**
   * An application.
   *
   * @param servers number of servers with its data
   * @param skew highest skew of its shuffles; null if unknown
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

  /** Time since registration, and time until the lease expires. */
  record Lease(long registeredAgeMs, long leaseRemainingMs) {}

  /**
   * Number of shuffles of an application that use the built-in shuffle, and the reason of the last.
   */
  record FallbackSummary(int fallbackShuffles, String lastFallbackReason) {}

  /** {@code /api/v1/applications/{application}}. */
  record ApplicationDetail(long time, Application application, List<ApplicationServer> servers)
      implements Resource {}

  /** A server with data of an application. */
  record ApplicationServer(String server, int shuffles, long storedBytes) {}

  /**
   * {@code /api/v1/applications/{application}/explanation}.
   *
   * @param reported whether the driver has reported its tasks; if not, the figures are 0
   * @param concurrentTasks maximum number of tasks that ran at the same time; 0: unknown
   * @param causes causes of delays, the one that costs most first
   * @param servers servers for which tasks waited longest
   * @param skewedShuffles shuffles with stored data of which one partition is much larger
   */
  record Explanation(
      long time,
      String application,
      boolean reported,
      @JsonUnwrapped Transferred transferred,
      @JsonUnwrapped Retries retries,
      int concurrentTasks,
      List<Cause> causes,
      List<ServerWaits> servers,
      List<SkewedShuffle> skewedShuffles)
      implements Resource {}

  /** Bytes of blocks that the tasks of an application wrote and read. */
  record Transferred(
      long pushedBytes, long localWrittenBytes, long readBytes, long localReadBytes) {}

  /** Requests that the tasks of an application repeated. */
  record Retries(long pushRetries, long readRetries, long replacementServers) {}

  /**
   * A cause of delays.
   *
   * @param server null: no single server
   * @param shuffle null: no single shuffle
   * @param taskMs time of all tasks that the cause took; null: unknown
   * @param jobMs estimated time of the job that the cause took; null: unknown
   */
  record Cause(
      String cause,
      String server,
      Integer shuffle,
      Long taskMs,
      Long jobMs,
      String observed,
      String change) {}

  /** Bytes that tasks exchanged with a server, and the time that they waited for it. */
  record ServerWaits(
      String server,
      long pushedBytes,
      long readBytes,
      long pushWaitMs,
      long readWaitMs,
      long memoryWaitMs,
      long diskWaitMs) {}

  /** A shuffle with skew. */
  record SkewedShuffle(int shuffle, double skew, long largestPartitionBytes) {}

  /** {@code /api/v1/applications/{application}/shuffles}. */
  record Shuffles(long time, List<Shuffle> shuffles) implements Resource {}

  /** {@code /api/v1/applications/{application}/shuffles/{shuffle}}. */
  record ShuffleDetail(long time, Shuffle shuffle, List<Share> servers) implements Resource {}

  /**
   * A shuffle.
   *
   * @param replicas 0 if this coordinator did not assign it
   * @param assignedAgeMs null if this coordinator did not assign it
   * @param skew size of the largest partition divided by the mean size of written partitions; null
   *     if unknown
   * @param receipts null if the driver has not reported them
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
      Double skew,
      Receipts receipts) {}

  /**
   * What map tasks wrote for a shuffle, and what readers got of it.
   *
   * @param matched map attempts, in one partition each, whose records were those of their receipt
   * @param wrong map attempts, in one partition each, whose records were others
   */
  record Receipts(long records, long bytes, long matched, long wrong) {}

  /** One server's part of a shuffle. */
  record Share(
      String server,
      String state,
      int partitionsAssigned,
      int partitionsWritten,
      long storedBytes,
      long largestPartitionBytes) {}

  /**
   * {@code /api/v1/finished-applications}, newest first.
   *
   * @param next number before which the next page begins; null: this is the last page
   */
  record FinishedApplications(long time, List<FinishedApplication> applications, Long next)
      implements Resource {}

  /**
   * An application that has ended or expired.
   *
   * @param reported whether the driver has reported its tasks; if not, the bytes are 0
   */
  record FinishedApplication(
      long number,
      String name,
      String user,
      String clientVersion,
      String outcome,
      long finishedTime,
      long durationMs,
      int shuffles,
      @JsonUnwrapped FallbackSummary fallbacks,
      boolean reported,
      @JsonUnwrapped Transferred transferred) {}

  /**
   * {@code /api/v1/events}, newest first.
   *
   * @param next number before which the next page begins; null: this is the last page
   */
  record Events(long time, List<Event> events, Long next) implements Resource {}

  /** An event. */
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
   * @param server name of the server; null: the whole cluster
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
   * {@code /api/v1/balance}: distribution of partitions over active servers.
   *
   * @param maxOverMean highest number of partitions on one server divided by the mean; null before
   *     the first assignment
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

  /** {@code /api/v1/scale-advice}. */
  record Scale(long time, int activeServers, int neededServers, List<ScaleNeed> resources)
      implements Resource {}

  /**
   * Servers that the present data needs because of one resource.
   *
   * @param usedShareMax part of a server's capacity that should be used at most
   */
  record ScaleNeed(
      String resource,
      long usedBytes,
      long serverCapacityBytes,
      double usedShareMax,
      int neededServers) {}

  /**
   * {@code /api/v1/quotas}.
   *
   * @param limitsSet limits that operators set through the API, by user
   */
  record Quotas(long time, List<UserQuota> users, Map<String, LimitsOrder> limitsSet)
      implements Resource {}

  /**
   * Usage and limits of a user.
   *
   * @param applicationBytesMax maximum bytes of one application; null: no limit
   * @param applicationPartitionsMax maximum partitions of one application; null: no limit
   * @param overQuota applications whose pushes servers refuse
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
   * Usage and limit of one quota.
   *
   * @param max the limit; null: no limit
   */
  record Quota(long used, Long max) {}

  /** An application whose pushes servers refuse because of a quota. */
  record OverQuota(String application, String reason) {}

  /**
   * {@code /api/v1/coordinators}.
   *
   * @param coordinators members of the quorum; empty: this coordinator shares its state with none
   */
  record Coordinators(long time, List<Coordinator> coordinators) implements Resource {}

  /** A member of the quorum. */
  record Coordinator(String address, boolean leads) {}

  /** Confirmation of a mutation. */
  record Done(long time, String text) implements Resource {}

  /**
   * {@code /api/v1/exclusions}.
   *
   * @param file the exclude file; null: there is none
   * @param kept whether exclusions through the API survive a restart of this coordinator
   * @param entries all entries, from the file and from the API
   */
  record Exclusions(long time, String file, boolean kept, List<String> entries)
      implements Resource {}

  /**
   * {@code /api/v1/revocations}.
   *
   * @param kept whether revocations survive a restart of this coordinator
   */
  record Revocations(long time, boolean kept, List<Revocation> revocations) implements Resource {}

  /**
   * Refusal of the tokens of a user or an application. Times are milliseconds since 1970.
   *
   * @param subject {@code user} or {@code application}
   * @param revokedAt tokens issued at this time or earlier are refused
   * @param expiry time from which on all these tokens have expired
   */
  record Revocation(String subject, String name, long revokedAt, long expiry) {}

  /**
   * Result of a reload of the configuration.
   *
   * @param restartNeeded changed keys that take effect after a restart only
   */
  record Reload(long time, List<Change> applied, List<Change> restartNeeded) implements Resource {}

  /** A key whose value has changed. */
  record Change(String key, String from, String to) {}

  /**
   * {@code /api/v1/configuration} and {@code /api/v1/servers/{server}/configuration}.
   *
   * @param settings all keys
   */
  record Configuration(long time, List<Setting> settings) implements Resource {}

  /**
   * A key and its value in use.
   *
   * @param value secrets are hidden; empty if the key has neither value nor default
   * @param source file and line, or option, that set the value; {@code set} for a key that is
   *     passed on to a library; {@code default} if nothing set it
   */
  record Setting(String key, String value, String source) {}

  /**
   * {@code /api/v1/threads} and {@code /api/v1/servers/{server}/threads}.
   *
   * @param threads by name
   * @param omitted number of further threads, left out because of the length
   */
  record Threads(long time, List<ThreadStack> threads, int omitted) implements Resource {}

  /**
   * A thread.
   *
   * @param cpuMs CPU time since its start; null: unknown
   * @param waitsFor object that it waits for; empty: none
   * @param owner thread that owns this object; empty: none
   * @param frames the innermost frame first
   */
  record ThreadStack(
      String name,
      long id,
      String state,
      Long cpuMs,
      String waitsFor,
      String owner,
      List<String> frames) {}

  /**
   * {@code /api/v1/caller}: the authenticated caller.
   *
   * @param user name of the user; null if the caller is not authenticated
   * @param mayRead whether the caller may read resources
   * @param mayChange whether the caller may use mutations
   * @param tokens whether users are configured, so that callers can authenticate
   */
  record Caller(
      long time, String user, String role, boolean mayRead, boolean mayChange, boolean tokens)
      implements Resource {}

  /**
   * Request to decommission a server.
   *
   * @param deadlineMs time after which the server exits even if its data is still needed; null or
   *     0: never
   * @param move whether the server moves its data to other servers; null: no
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
   * Request to set limits of a user. For each limit, null means the value of the quota file, and -1
   * no limit.
   *
   * @param applications maximum live applications of the user
   * @param bytes maximum bytes of all applications of the user
   * @param partitions maximum partitions of all applications of the user, replicas counted
   * @param applicationBytes maximum bytes of one application
   * @param applicationPartitions maximum partitions of one application, replicas counted
   */
  record LimitsOrder(
      Long applications,
      Long bytes,
      Long partitions,
      Long applicationBytes,
      Long applicationPartitions) {
    /** Returns the limits that are set, by their names in the quota file. */
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

  /** An error in the format of RFC 9457. */
  record Problem(String type, String title, int status, String detail) implements Resource {}
}
