package io.sluice.client.fake;

import com.google.protobuf.ByteString;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockFormatException;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Fetch;
import io.sluice.proto.LostStretch;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.PartitionState;
import io.sluice.proto.Presence;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.proto.Range;
import io.sluice.proto.ReportedBlock;
import io.sluice.proto.ServerId;
import io.sluice.proto.SliceMark;
import io.sluice.transport.protocol.AttemptSets;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

/** An in-memory shuffle server for one shuffle. Thread-safe by one lock. */
public final class FakeServer {
  private final String name;
  private final int port;
  private String zone = "";
  private long epoch;
  private long wholeSinceEpoch;
  private boolean expired;
  private boolean dataLost;
  private final Map<Integer, Log> logs = new TreeMap<>();
  private final List<BlockHeader> accepted = new ArrayList<>();
  private final List<Integer> pushLengths = new ArrayList<>();
  private int opens;
  private int fetches;
  private int duplicates;
  private int memoryUsedPermille;
  private boolean spilling;
  private long fileMicros;
  private long fullAboveBytes = Long.MAX_VALUE;
  private boolean verifiesReports;
  private int reports;

  private static final class Log {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final List<SliceMark> marks = new ArrayList<>();
    private final List<BlockHeader> headers = new ArrayList<>();
    private final List<LostStretch> lost = new ArrayList<>();
    private final Map<Long, Set<Integer>> seen = new HashMap<>();
    private final Map<Long, Integer> last = new HashMap<>();

    boolean isComplete(long attempt) {
      Integer lastSequence = last.get(attempt);
      return lastSequence != null && seen.get(attempt).size() == lastSequence + 1;
    }
  }

  public FakeServer(String name, int port, long epoch) {
    this.name = name;
    this.port = port;
    this.epoch = epoch;
    this.wholeSinceEpoch = epoch;
  }

  public synchronized ServerId id() {
    return ServerId.newBuilder()
        .setName(name)
        .setHost(name)
        .setRpcPort(port)
        .setNettyPort(port)
        .setEpoch(epoch)
        .setZone(zone)
        .build();
  }

  /** Later assignments name this zone. */
  public synchronized void zone(String name) {
    zone = name;
  }

  public synchronized long epoch() {
    return epoch;
  }

  /** A restart after a crash: all data is lost. */
  public synchronized void restart() {
    epoch++;
    wholeSinceEpoch = epoch;
    logs.clear();
    accepted.clear();
  }

  /** A restart after a clean stop: no data is lost. */
  public synchronized void restartCleanly() {
    epoch++;
  }

  public synchronized long wholeSinceEpoch() {
    return wholeSinceEpoch;
  }

  public synchronized void expire() {
    expired = true;
    logs.clear();
  }

  public synchronized void loseData() {
    dataLost = true;
    logs.clear();
  }

  public synchronized void reportMemoryUsed(int permille) {
    memoryUsedPermille = permille;
  }

  /** Acknowledgements report that data is being written to disks. */
  public synchronized void reportSpilling() {
    spilling = true;
  }

  /** Fetch replies report that the disks needed this time. */
  public synchronized void reportFileTime(long micros) {
    fileMicros = micros;
  }

  synchronized long fileMicros() {
    return fileMicros;
  }

  /** Acknowledgements report partitions as full that are longer than this. */
  public synchronized void callFullAbove(long bytes) {
    fullAboveBytes = bytes;
  }

  synchronized PushAck push(Push push, ByteBuf body) throws SluiceException {
    checkEpoch(push.getEpoch());
    List<BlockHeader> headers = new ArrayList<>();
    List<Integer> starts = new ArrayList<>();
    Set<Integer> passed = new HashSet<>();
    int at = 0;
    int before = -1;
    while (at < body.readableBytes()) {
      BlockHeader header =
          BlockFormat.readVerified(body, body.readerIndex() + at, body.writerIndex());
      if (header.partition() != before && !passed.add(header.partition())) {
        throw new SluiceException(
            StatusCode.BAD_REQUEST, "partition " + header.partition() + " is not adjacent");
      }
      before = header.partition();
      headers.add(header);
      starts.add(at);
      at += header.blockLength();
    }
    pushLengths.add(body.readableBytes());
    for (int i = 0; i < headers.size(); i++) {
      BlockHeader header = headers.get(i);
      Log log = logs.computeIfAbsent(header.partition(), p -> new Log());
      if (!log.seen
          .computeIfAbsent(header.mapAttempt(), a -> new HashSet<>())
          .add(header.sequence())) {
        duplicates++;
        continue;
      }
      if (header.isLast()) {
        log.last.put(header.mapAttempt(), header.sequence());
      }
      log.marks.add(
          SliceMark.newBuilder()
              .setOffset(log.bytes.size())
              .setLength(header.blockLength())
              .setMinMapIndex(header.mapIndex())
              .setMaxMapIndex(header.mapIndex())
              .build());
      log.headers.add(header);
      log.bytes.writeBytes(
          ByteBufUtil.getBytes(body, body.readerIndex() + starts.get(i), header.blockLength()));
      accepted.add(header);
    }
    PushAck.Builder ack =
        PushAck.newBuilder()
            .setEpoch(epoch)
            .setMemoryUsedPermille(memoryUsedPermille)
            .setSpilling(spilling);
    passed.stream()
        .filter(partition -> logs.get(partition).bytes.size() > fullAboveBytes)
        .forEach(ack::addFullPartitions);
    return ack.build();
  }

  private void checkEpoch(long meant) throws SluiceException {
    if (meant != epoch) {
      throw new SluiceException(
          StatusCode.STALE_EPOCH, "expected epoch " + epoch + ", found " + meant);
    }
    if (expired) {
      throw new SluiceException(StatusCode.EXPIRED, "shuffle expired");
    }
  }

  synchronized OpenReply open(Open open) throws SluiceException {
    opens++;
    OpenReply.Builder reply = OpenReply.newBuilder().setEpoch(epoch);
    Map<ByteString, Integer> sets = new HashMap<>();
    for (int partition : open.getPartitionsList()) {
      Log log = logs.get(partition);
      PartitionState.Builder state = reply.addPartitionsBuilder().setPartition(partition);
      if (log == null) {
        state.setPresence(absence(open.getAssignedEpoch()));
        continue;
      }
      Roaring64NavigableMap complete = new Roaring64NavigableMap();
      log.seen.keySet().stream().filter(log::isComplete).forEach(complete::addLong);
      ByteString bytes = AttemptSets.encode(complete);
      Integer set = sets.get(bytes);
      if (set == null) {
        set = sets.size();
        sets.put(bytes, set);
        reply.addAttemptSets(bytes);
      }
      state.setPresence(Presence.PRESENT).setLength(log.bytes.size()).setCompleteAttempts(set);
      state.addAllLost(log.lost);
      if (open.getWantSliceMarks()) {
        log.marks.stream()
            .filter(mark -> isWanted(open, mark.getMinMapIndex()))
            .forEach(state::addSliceMarks);
      }
    }
    return reply.build();
  }

  private static boolean isWanted(Open open, int mapIndex) {
    return open.getEndMapIndex() == 0
        || (mapIndex >= open.getFirstMapIndex() && mapIndex < open.getEndMapIndex());
  }

  private Presence absence(long assignedEpoch) {
    if (expired) {
      return Presence.SHUFFLE_EXPIRED;
    }
    if (dataLost || assignedEpoch < wholeSinceEpoch) {
      return Presence.DATA_LOST;
    }
    return logs.isEmpty() ? Presence.SHUFFLE_NEVER_WRITTEN : Presence.PARTITION_EMPTY;
  }

  /** Returns owned. */
  synchronized ByteBuf fetch(Fetch fetch) throws SluiceException {
    fetches++;
    checkEpoch(fetch.getEpoch());
    if (verifiesReports) {
      fetch.getDamagedList().forEach(this::verify);
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (Range range : fetch.getRangesList()) {
      Log log = logs.get(range.getPartition());
      if (log == null || range.getOffset() + range.getLength() > log.bytes.size()) {
        throw new SluiceException(StatusCode.OUT_OF_RANGE, "no such range: " + range);
      }
      for (LostStretch lost : log.lost) {
        if (lost.getOffset() < range.getOffset() + range.getLength()
            && range.getOffset() < lost.getOffset() + lost.getLength()) {
          throw new SluiceException(StatusCode.LOST, "a disk is gone: " + range);
        }
      }
      bytes.write(log.bytes.toByteArray(), (int) range.getOffset(), (int) range.getLength());
    }
    return Unpooled.directBuffer(Math.max(1, bytes.size())).writeBytes(bytes.toByteArray());
  }

  /** From now on, blocks that a Fetch reports are lost if their checksum is wrong. */
  public synchronized void verifyReports() {
    verifiesReports = true;
  }

  private void verify(ReportedBlock reported) {
    reports++;
    Log log = logs.get(reported.getPartition());
    for (int i = 0; i < log.marks.size(); i++) {
      SliceMark mark = log.marks.get(i);
      BlockHeader header = log.headers.get(i);
      if (mark.getOffset() == reported.getOffset()) {
        byte[] bytes = log.bytes.toByteArray();
        int start = (int) mark.getOffset();
        try {
          BlockFormat.readVerified(
              Unpooled.wrappedBuffer(bytes), start, start + (int) mark.getLength());
        } catch (BlockFormatException e) {
          log.seen.get(header.mapAttempt()).remove(header.sequence());
          log.lost.add(
              LostStretch.newBuilder().setOffset(start).setLength(mark.getLength()).build());
          log.lost.sort(Comparator.comparingLong(LostStretch::getOffset));
        }
      }
    }
  }

  /** Number of blocks that clients reported as damaged, since {@link #verifyReports}. */
  public synchronized int reports() {
    return reports;
  }

  /** Loses the n-th block of a partition, as after the loss of a disk. */
  public synchronized void lose(int partition, int block, long attempt) {
    Log log = logs.get(partition);
    SliceMark mark = log.marks.get(block);
    log.lost.add(
        LostStretch.newBuilder().setOffset(mark.getOffset()).setLength(mark.getLength()).build());
    log.last.remove(attempt);
  }

  /** Flips a bit of a stored byte. */
  public synchronized void damage(int partition, int offset) {
    Log log = logs.get(partition);
    byte[] bytes = log.bytes.toByteArray();
    bytes[offset] ^= 1;
    log.bytes.reset();
    log.bytes.writeBytes(bytes);
  }

  /** Headers of the blocks that are not duplicates, in order of arrival. */
  public synchronized List<BlockHeader> accepted() {
    return List.copyOf(accepted);
  }

  /** Body lengths of the push frames, in order of arrival. */
  public synchronized List<Integer> pushLengths() {
    return List.copyOf(pushLengths);
  }

  public synchronized int opens() {
    return opens;
  }

  public synchronized int fetches() {
    return fetches;
  }

  public synchronized int duplicates() {
    return duplicates;
  }

  public synchronized long storedBytes(int partition) {
    Log log = logs.get(partition);
    return log == null ? 0 : log.bytes.size();
  }

  public synchronized boolean isComplete(int partition, long attempt) {
    Log log = logs.get(partition);
    return log != null && log.seen.containsKey(attempt) && log.isComplete(attempt);
  }
}
