package io.sluice.spark.local;

import io.sluice.client.read.LocalOutput;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.DownloadFile;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.network.shuffle.SimpleDownloadFile;
import org.apache.spark.network.util.TransportConf;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockId;

/**
 * Reads local output of map attempts through Spark's block transfer: from this executor's disks,
 * another executor, or the external shuffle service. Owned by the task thread; only fetched blocks
 * arrive on Spark's network threads.
 *
 * <p>If one block of a request is missing, Spark fails the whole request. So each piece of a failed
 * request is requested once more, on its own.
 */
public final class SparkLocalOutput implements LocalOutput {
  private final int shuffle;
  private final Map<Long, LocalAttempt> attempts;
  private final BlockSource source;
  private final FetchLimits limits;
  private final ShuffleReadMetricsReporter metrics;

  private final Deque<Piece> localPieces = new ArrayDeque<>();
  private final Deque<Piece> givenUp = new ArrayDeque<>();
  private final Deque<Retry> retries = new ArrayDeque<>();
  private final Map<BlockManagerId, Deque<Piece>> waiting = new LinkedHashMap<>();
  private final Map<Piece, Request> inFlight = new LinkedHashMap<>();
  private final LinkedBlockingQueue<Arrival> arrived = new LinkedBlockingQueue<>();
  private final Arrivals arrivals = new Arrivals();
  private final Map<BlockManagerId, Integer> blocksInFlight = new HashMap<>();
  private long inFlightBytes;
  private int requestsInFlight;

  /** One request for several pieces. */
  private static final class Request {
    private final boolean oneAttempt;
    private final boolean toDisk;
    private int unanswered;

    /**
     * @param oneAttempt whether all pieces belong to one map attempt
     */
    Request(boolean oneAttempt, boolean toDisk) {
      this.oneAttempt = oneAttempt;
      this.toDisk = toDisk;
    }
  }

  /** A piece to request again on its own, because its request failed. */
  private record Retry(Piece piece, boolean toDisk) {}

  /** A fetched block, retained, or the reason of its failure. */
  private record Arrival(Piece piece, ManagedBuffer buffer, String failure) {}

  /**
   * @param attempts attempts with local output, by their ids
   */
  public SparkLocalOutput(
      int shuffle,
      Map<Long, LocalAttempt> attempts,
      BlockSource source,
      FetchLimits limits,
      ShuffleReadMetricsReporter metrics) {
    this.shuffle = shuffle;
    this.attempts = attempts;
    this.source = source;
    this.limits = limits;
    this.metrics = metrics;
  }

  @Override
  public boolean mayHave(long mapAttempt) {
    return attempts.containsKey(mapAttempt);
  }

  @Override
  public void request(List<Piece> pieces) {
    for (Piece piece : pieces) {
      BlockManagerId at = attempts.get(piece.mapAttempt()).at();
      if (source.isLocal(at)) {
        localPieces.add(piece);
      } else {
        waiting.computeIfAbsent(at, any -> new ArrayDeque<>()).add(piece);
      }
    }
    send();
  }

  private void send() {
    while (!retries.isEmpty() && maySend()) {
      Retry next = retries.remove();
      fetch(addressOf(next.piece()), List.of(next.piece()), new Request(true, next.toDisk()));
    }
    // Consecutive addresses that have reached their limit of blocks in flight.
    int passed = 0;
    while (passed < waiting.size() && maySend()) {
      BlockManagerId at = waiting.keySet().iterator().next();
      Deque<Piece> queue = waiting.remove(at);
      int room = limits.blocksPerAddress() - blocksInFlight.getOrDefault(at, 0);
      if (room <= 0) {
        waiting.put(at, queue);
        passed++;
        continue;
      }
      passed = 0;
      int most = Math.min(limits.requestBlocks(), room);
      List<Piece> together = new ArrayList<>();
      long bytes = 0;
      while (!queue.isEmpty()
          && together.size() < most
          && (together.isEmpty() || bytes + bytesOf(queue.peek()) <= limits.requestBytes())) {
        Piece piece = queue.remove();
        together.add(piece);
        bytes += bytesOf(piece);
      }
      // The next request is sent to another address, if there is one.
      if (!queue.isEmpty()) {
        waiting.put(at, queue);
      }
      boolean oneAttempt = together.stream().mapToLong(Piece::mapAttempt).distinct().count() == 1;
      fetch(at, together, new Request(oneAttempt, bytes > limits.inMemoryBytes()));
    }
  }

  private boolean maySend() {
    return inFlight.isEmpty()
        || (inFlightBytes < limits.inFlightBytes() && requestsInFlight < limits.requestsInFlight());
  }

  private void fetch(BlockManagerId at, List<Piece> together, Request request) {
    Map<String, Piece> byName = new HashMap<>();
    requestsInFlight++;
    request.unanswered = together.size();
    blocksInFlight.merge(at, together.size(), Integer::sum);
    for (Piece piece : together) {
      byName.put(blockId(piece).name(), piece);
      inFlight.put(piece, request);
      inFlightBytes += bytesOf(piece);
    }
    String[] names = together.stream().map(piece -> blockId(piece).name()).toArray(String[]::new);
    source.fetch(at, names, arrivals.listener(byName), request.toDisk ? arrivals : null);
  }

  private ShuffleBlockId blockId(Piece piece) {
    return new ShuffleBlockId(shuffle, piece.mapAttempt(), piece.partition());
  }

  private BlockManagerId addressOf(Piece piece) {
    return attempts.get(piece.mapAttempt()).at();
  }

  private long bytesOf(Piece piece) {
    return attempts.get(piece.mapAttempt()).bytesOfPartition().getOrDefault(piece.partition(), 0L);
  }

  @Override
  public Answer next() throws IOException {
    while (true) {
      if (!localPieces.isEmpty()) {
        return fromThisProcess(localPieces.remove());
      }
      if (!givenUp.isEmpty()) {
        return failed(givenUp.remove(), "no answer within " + limits.retryPeriodMs() + " ms");
      }
      if (inFlight.isEmpty()) {
        return null;
      }
      Arrival arrival = await();
      if (arrival == null) {
        giveUpUnresponsiveAddresses();
        continue;
      }
      Request request = inFlight.get(arrival.piece());
      if (request == null) {
        // Its request had already timed out.
        if (arrival.buffer() != null) {
          arrival.buffer().release();
        }
        continue;
      }
      forget(arrival.piece());
      if (arrival.buffer() == null && !request.oneAttempt) {
        retries.add(new Retry(arrival.piece(), request.toDisk));
        send();
        continue;
      }
      send();
      return arrival.buffer() == null
          ? failed(arrival.piece(), arrival.failure())
          : fetched(arrival.piece(), arrival.buffer(), request.toDisk);
    }
  }

  /** Fails all outstanding pieces and the queued pieces of their addresses. */
  private void giveUpUnresponsiveAddresses() {
    for (Piece late : List.copyOf(inFlight.keySet())) {
      forget(late);
      givenUp.add(late);
      Deque<Piece> behind = waiting.remove(addressOf(late));
      if (behind != null) {
        givenUp.addAll(behind);
      }
      for (Retry one : List.copyOf(retries)) {
        if (addressOf(one.piece()).equals(addressOf(late))) {
          retries.remove(one);
          givenUp.add(one.piece());
        }
      }
    }
    send();
  }

  private void forget(Piece piece) {
    Request request = inFlight.remove(piece);
    inFlightBytes -= bytesOf(piece);
    blocksInFlight.merge(addressOf(piece), -1, Integer::sum);
    request.unanswered--;
    if (request.unanswered == 0) {
      requestsInFlight--;
    }
  }

  private Arrival await() throws IOException {
    try {
      return arrived.poll(limits.retryPeriodMs(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while fetching local map output");
    }
  }

  private Answer fromThisProcess(Piece piece) {
    ManagedBuffer buffer;
    try {
      buffer = source.localBlock(blockId(piece));
    } catch (RuntimeException e) {
      return failed(piece, String.valueOf(e.getMessage()));
    } catch (Exception e) {
      // Scala code throws an undeclared IOException if the file is missing.
      return failed(piece, e.toString());
    }
    metrics.incLocalBlocksFetched(1);
    metrics.incLocalBytesRead(buffer.size());
    return opened(piece, buffer);
  }

  private Answer fetched(Piece piece, ManagedBuffer buffer, boolean toDisk) {
    metrics.incRemoteBlocksFetched(1);
    metrics.incRemoteBytesRead(buffer.size());
    if (toDisk) {
      metrics.incRemoteBytesReadToDisk(buffer.size());
    }
    return opened(piece, buffer);
  }

  private Answer opened(Piece piece, ManagedBuffer buffer) {
    try {
      return new Answer(piece, new ReleasingStream(buffer), buffer.size(), null);
    } catch (IOException e) {
      buffer.release();
      return failed(piece, e.toString());
    }
  }

  private Answer failed(Piece piece, String why) {
    BlockManagerId at = attempts.get(piece.mapAttempt()).at();
    return new Answer(
        piece, null, 0, "executor " + at.executorId() + " at " + at.hostPort() + ": " + why);
  }

  @Override
  public void close() {
    localPieces.clear();
    givenUp.clear();
    retries.clear();
    waiting.clear();
    inFlight.clear();
    arrivals.close();
  }

  /** Bytes of a block; closing the stream releases the block. */
  private static final class ReleasingStream extends FilterInputStream {
    private final ManagedBuffer buffer;
    private boolean closed;

    ReleasingStream(ManagedBuffer buffer) throws IOException {
      super(buffer.createInputStream());
      this.buffer = buffer;
    }

    @Override
    public void close() throws IOException {
      if (!closed) {
        closed = true;
        try {
          super.close();
        } finally {
          buffer.release();
        }
      }
    }
  }

  /** Receives blocks from Spark's network threads. Thread-safe. */
  private final class Arrivals implements DownloadFileManager {
    // Guarded by this.
    private final Set<DownloadFile> files = new HashSet<>();
    private boolean closed;

    BlockFetchingListener listener(Map<String, Piece> byName) {
      return new BlockFetchingListener() {
        @Override
        public void onBlockFetchSuccess(String block, ManagedBuffer data) {
          arrived(byName.get(block), data, null);
        }

        @Override
        public void onBlockFetchFailure(String block, Throwable failure) {
          arrived(byName.get(block), null, String.valueOf(failure.getMessage()));
        }
      };
    }

    private synchronized void arrived(Piece piece, ManagedBuffer data, String failure) {
      if (closed || piece == null) {
        return;
      }
      if (data != null) {
        // Spark releases its reference when this method returns.
        data.retain();
      }
      arrived.add(new Arrival(piece, data, failure));
    }

    @Override
    public DownloadFile createTempFile(TransportConf conf) {
      return new SimpleDownloadFile(source.temporaryFile(), conf);
    }

    @Override
    public synchronized boolean registerTempFileToClean(DownloadFile file) {
      return !closed && files.add(file);
    }

    synchronized void close() {
      closed = true;
      for (Arrival one = arrived.poll(); one != null; one = arrived.poll()) {
        if (one.buffer() != null) {
          one.buffer().release();
        }
      }
      files.forEach(DownloadFile::delete);
      files.clear();
    }
  }
}
