package io.sluice.server.read;

import io.sluice.transport.server.ClientConnection;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * What waits. Applications share by bytes: the next is of the one that was given least, however
 * many connections it has and however large its requests are (start-time fair queueing, Goyal, Vin
 * and Cheng 1996). Within one application connections take turns, within a connection the order is
 * that of arrival. Not thread-safe.
 *
 * <p>Each application has a tag: the bytes that it was given, counted from the tag of whoever was
 * served when it came. So who was away saves nothing up, and who asks for one thing at a time is
 * charged for the one before. While two applications wait, what they are given differs by no more
 * than the largest request of each.
 */
final class FairQueue<T> {
  /** Applications without anything waiting whose tags are kept before they are looked through. */
  private static final int IDLE_KEPT = 64;

  private final ToLongFunction<T> bytes;
  private final Map<String, Waiting<T>> applications = new LinkedHashMap<>();
  private long servedTag;
  private int size;

  /**
   * @param bytes what giving an item costs
   */
  FairQueue(ToLongFunction<T> bytes) {
    this.bytes = bytes;
  }

  /** What waits of one application. */
  private static final class Waiting<T> {
    final Map<ClientConnection, Deque<T>> connections = new LinkedHashMap<>();
    long tag;

    long tag() {
      return tag;
    }
  }

  int size() {
    return size;
  }

  void add(ClientConnection connection, T item) {
    Waiting<T> waiting =
        applications.computeIfAbsent(connection.application(), unused -> new Waiting<>());
    if (waiting.connections.isEmpty()) {
      waiting.tag = Math.max(waiting.tag, servedTag);
    }
    waiting.connections.computeIfAbsent(connection, unused -> new ArrayDeque<>()).addLast(item);
    size++;
  }

  /**
   * Takes the next that may go, or null. A connection whose first may not go is passed over, and
   * keeps its turn.
   *
   * @param mayGo asked until it says yes; that item is taken
   */
  T poll(Predicate<T> mayGo) {
    if (size == 0) {
      return null;
    }
    List<Waiting<T>> order = new ArrayList<>(applications.values());
    order.sort(Comparator.comparingLong(Waiting::tag));
    for (Waiting<T> waiting : order) {
      for (Map.Entry<ClientConnection, Deque<T>> connection : waiting.connections.entrySet()) {
        if (mayGo.test(connection.getValue().peekFirst())) {
          return take(waiting, connection.getKey());
        }
      }
    }
    return null;
  }

  private T take(Waiting<T> waiting, ClientConnection connection) {
    Deque<T> items = waiting.connections.remove(connection);
    T item = items.removeFirst();
    size--;
    if (!items.isEmpty()) {
      waiting.connections.put(connection, items);
    }
    servedTag = Math.max(servedTag, waiting.tag);
    // Nothing is for nothing, or many empty requests would keep others waiting.
    waiting.tag += Math.max(1, bytes.applyAsLong(item));
    forgetIdle();
    return item;
  }

  /** A tag that has been passed says nothing any more. */
  private void forgetIdle() {
    if (applications.size() > IDLE_KEPT) {
      applications
          .values()
          .removeIf(waiting -> waiting.connections.isEmpty() && waiting.tag <= servedTag);
    }
  }

  /** Takes one out wherever it stands; false if it is not there. */
  boolean remove(ClientConnection connection, T item) {
    Waiting<T> waiting = applications.get(connection.application());
    Deque<T> items = waiting == null ? null : waiting.connections.get(connection);
    if (items == null || !items.remove(item)) {
      return false;
    }
    size--;
    if (items.isEmpty()) {
      waiting.connections.remove(connection);
    }
    return true;
  }

  /** Takes everything out, in no order that means anything. */
  List<T> removeAll() {
    List<T> all = new ArrayList<>();
    applications.values().forEach(waiting -> waiting.connections.values().forEach(all::addAll));
    applications.clear();
    size = 0;
    return all;
  }
}
