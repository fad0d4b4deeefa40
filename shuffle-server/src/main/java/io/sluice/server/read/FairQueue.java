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
 * Fair queue by application. The next item is of the application that was served the fewest bytes,
 * independent of its number of connections and the size of its requests. The algorithm is
 * start-time fair queueing (Goyal, Vin and Cheng 1996). Connections of one application take turns;
 * items of one connection are served in the order of arrival. Not thread-safe.
 *
 * <p>Each application has a tag: its served bytes, plus the tag of the served application at the
 * time when it started to wait. So an idle application accumulates no credit, and an application
 * with one request at a time is charged for its previous request. While two applications wait,
 * their served bytes differ by at most the sum of their largest requests.
 */
final class FairQueue<T> {
  /** Maximum number of applications before the tags of idle ones are removed. */
  private static final int MAX_IDLE_APPLICATIONS = 64;

  private final ToLongFunction<T> bytes;
  private final Map<String, Waiting<T>> applications = new LinkedHashMap<>();
  private long servedTag;
  private int size;

  /**
   * @param bytes cost of an item
   */
  FairQueue(ToLongFunction<T> bytes) {
    this.bytes = bytes;
  }

  /** Items of one application. */
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
   * Removes and returns the next admissible item, or null. A connection whose first item is not
   * admissible is skipped and keeps its turn.
   *
   * @param isAdmissible called until it returns true; that item is returned
   */
  T poll(Predicate<T> isAdmissible) {
    if (size == 0) {
      return null;
    }
    List<Waiting<T>> order = new ArrayList<>(applications.values());
    order.sort(Comparator.comparingLong(Waiting::tag));
    for (Waiting<T> waiting : order) {
      for (Map.Entry<ClientConnection, Deque<T>> connection : waiting.connections.entrySet()) {
        if (isAdmissible.test(connection.getValue().peekFirst())) {
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
    // Every item costs at least 1, so that many empty requests do not starve others.
    waiting.tag += Math.max(1, bytes.applyAsLong(item));
    forgetIdle();
    return item;
  }

  /** Removes idle applications whose tag is not ahead of the served tag. */
  private void forgetIdle() {
    if (applications.size() > MAX_IDLE_APPLICATIONS) {
      applications
          .values()
          .removeIf(waiting -> waiting.connections.isEmpty() && waiting.tag <= servedTag);
    }
  }

  /** Removes an item; false if it is not in the queue. */
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

  /** Removes all items and returns them in no particular order. */
  List<T> removeAll() {
    List<T> all = new ArrayList<>();
    applications.values().forEach(waiting -> waiting.connections.values().forEach(all::addAll));
    applications.clear();
    size = 0;
    return all;
  }
}
