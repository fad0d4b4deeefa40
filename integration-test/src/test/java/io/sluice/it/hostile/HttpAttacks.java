package io.sluice.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Ambiguous and invalid requests to the HTTP ports. */
final class HttpAttacks {
  private static final Pattern STATUS = Pattern.compile("(?m)^HTTP/1\\.1 (\\d{3}) ");
  private static final int MOST_BYTES = 1 << 20;
  private static final int PIPELINED = 2_000;

  /** Request that is processed only if the one before it ended where the attacker claims. */
  private static final String SMUGGLED = "GET /metrics HTTP/1.1\r\nHost: smuggled\r\n\r\n";

  private HttpAttacks() {}

  /** Two lengths of one body: a parser that uses the other one treats the rest as a request. */
  static AutoCloseable smuggling(Target target) throws Exception {
    String chunks = "0\r\n\r\n";
    List<String> headers =
        List.of(
            "Content-Length: %d\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: chunked\r\nContent-Length: %d",
            "Content-Length: %d\r\nTransfer-Encoding : chunked",
            "Content-Length: %d\r\nTransfer-Encoding: xchunked",
            "Content-Length: %d\r\nTransfer-Encoding: chunked, identity",
            "Content-Length: %d\r\nContent-Length: 0",
            "Content-Length: %d, 0",
            "Content-Length: +%d",
            "Content-Length: -%d",
            "Content-Length : %d",
            "Content-Length: %d\r\n Transfer-Encoding: chunked",
            "Content-Length: %d\u0000");
    for (Port port : List.of(Port.COORDINATOR_HTTP, Port.SERVER_HTTP)) {
      for (String header : headers) {
        String request =
            "POST /api/v1/applications HTTP/1.1\r\nHost: localhost\r\n"
                + "Content-Type: application/json\r\n"
                + String.format(header, chunks.length())
                + "\r\n\r\n"
                + chunks
                + SMUGGLED;
        List<Integer> answers = answers(target, port, request);
        assertThat(answers)
            .as("%s: answers to a request with %s", port, header.replace("\r\n", " | "))
            .hasSize(1)
            .allMatch(status -> status >= 400);
      }
    }
    return Attack.NOTHING_OPEN;
  }

  /** Request lines, headers and numbers of requests above all limits. */
  static AutoCloseable oversizedRequests(Target target) throws Exception {
    String end = "Host: localhost\r\nConnection: close\r\n\r\n";
    for (Port port : List.of(Port.COORDINATOR_HTTP, Port.SERVER_HTTP)) {
      for (String request :
          List.of(
              "GET /" + "a".repeat(1 << 20) + " HTTP/1.1\r\n" + end,
              "GET /metrics HTTP/1.1\r\nX: " + "a".repeat(1 << 20) + "\r\n" + end,
              "GET /metrics HTTP/1.1\r\n" + "X: y\r\n".repeat(100_000) + end,
              "\r\n".repeat(500_000),
              "GET /metrics HTTP/9.9\r\n" + end,
              "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
              "CONNECT localhost:22 HTTP/1.1\r\n" + end,
              "GET /../../etc/passwd HTTP/1.1\r\n" + end,
              "POST /api/v1/x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n"
                  + "Content-Type: application/json\r\n"
                  + end
                  + "7fffffff\r\n"
                  + "a".repeat(1 << 20))) {
        assertThat(answers(target, port, request))
            .as("%s: answers to %s", port, request.substring(0, Math.min(60, request.length())))
            .hasSizeLessThanOrEqualTo(1)
            .allMatch(status -> status >= 400);
      }
    }
    return Attack.NOTHING_OPEN;
  }

  /** Pipelined requests of a peer that reads no answers. */
  static AutoCloseable pipelined(Target target) throws Exception {
    OpenResources open = new OpenResources();
    List<Thread> senders = new ArrayList<>();
    byte[] request = ConnectionAttacks.ascii("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
    for (Port port : List.of(Port.COORDINATOR_HTTP, Port.SERVER_HTTP)) {
      for (int i = 0; i < HostileCluster.MAX_HTTP_CONNECTIONS_PER_ADDRESS / 4; i++) {
        Socket socket = open.add(target.connect(port, 2));
        senders.add(
            FrameAttacks.sender(
                () -> {
                  try {
                    for (int sent = 0; sent < PIPELINED; sent++) {
                      socket.getOutputStream().write(request);
                    }
                  } catch (IOException ended) {
                    // The process has closed the connection, because its answers were not read.
                  }
                }));
      }
    }
    // The senders continue during the checks and end with their sockets.
    return () -> {
      open.close();
      FrameAttacks.joinAll(senders);
    };
  }

  /** Statuses of all answers until the process has closed the connection. */
  private static List<Integer> answers(Target target, Port port, String request)
      throws IOException {
    try (Socket socket = target.connect(port)) {
      byte[] bytes = request.getBytes(StandardCharsets.ISO_8859_1);
      Thread sender =
          FrameAttacks.sender(
              () -> {
                try {
                  socket.getOutputStream().write(bytes);
                  socket.getOutputStream().flush();
                } catch (IOException ended) {
                  // Refused before all of it was sent.
                }
              });
      StringBuilder all = new StringBuilder();
      byte[] part = new byte[8 << 10];
      try {
        for (int length = socket.getInputStream().read(part);
            length >= 0 && all.length() < MOST_BYTES;
            length = socket.getInputStream().read(part)) {
          all.append(new String(part, 0, length, StandardCharsets.ISO_8859_1));
        }
      } catch (IOException reset) {
        // The connection was closed before the request was complete.
      }
      socket.close();
      sender.interrupt();
      List<Integer> statuses = new ArrayList<>();
      Matcher matcher = STATUS.matcher(all);
      while (matcher.find()) {
        statuses.add(Integer.valueOf(matcher.group(1)));
      }
      return statuses;
    }
  }
}
