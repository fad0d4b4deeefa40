package io.sluice.server.read;

import io.sluice.server.service.ClientConnection;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * What waits, in turn by application, within one by connection, within one in order of arrival: who
 * asks for more waits longer. Not thread-safe.
 */
final class FairQueue<T> {
  private final Map<String, Map<ClientConnection, Deque<T>>> waiting = new LinkedHashMap<>();
  private int size;

  int size() {
    return size;
  }

  void add(ClientConnection connection, T item) {
    waiting
        .computeIfAbsent(connection.application(), unused -> new LinkedHashMap<>())
        .computeIfAbsent(connection, unused -> new ArrayDeque<>())
        .addLast(item);
    size++;
  }

  /**
   * Takes the next that may go, or null. Whoever it belongs to comes last from now on; a connection
   * whose first may not go is passed over, and keeps its turn.
   */
  T poll(Predicate<T> mayGo) {
    for (Map.Entry<String, Map<ClientConnection, Deque<T>>> application : waiting.entrySet()) {
      for (Map.Entry<ClientConnection, Deque<T>> connection : application.getValue().entrySet()) {
        if (mayGo.test(connection.getValue().peekFirst())) {
          T item = connection.getValue().removeFirst();
          size--;
          moveToEnd(application.getKey(), connection.getKey());
          return item;
        }
      }
    }
    return null;
  }

  private void moveToEnd(String application, ClientConnection connection) {
    Map<ClientConnection, Deque<T>> connections = waiting.remove(application);
    Deque<T> items = connections.remove(connection);
    if (!items.isEmpty()) {
      connections.put(connection, items);
    }
    if (!connections.isEmpty()) {
      waiting.put(application, connections);
    }
  }

  /** Takes one out wherever it stands; false if it is not there. */
  boolean remove(ClientConnection connection, T item) {
    Map<ClientConnection, Deque<T>> connections = waiting.get(connection.application());
    Deque<T> items = connections == null ? null : connections.get(connection);
    if (items == null || !items.remove(item)) {
      return false;
    }
    size--;
    if (items.isEmpty()) {
      connections.remove(connection);
    }
    if (connections.isEmpty()) {
      waiting.remove(connection.application());
    }
    return true;
  }

  /** Takes everything out, in no order that means anything. */
  List<T> removeAll() {
    List<T> all = new ArrayList<>();
    waiting.values().forEach(connections -> connections.values().forEach(all::addAll));
    waiting.clear();
    size = 0;
    return all;
  }
}
