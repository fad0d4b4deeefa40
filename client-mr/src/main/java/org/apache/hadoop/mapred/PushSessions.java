package org.apache.hadoop.mapred;

import io.sluice.client.push.PushSession;
import java.io.IOException;

/** Opens push sessions for the output of one map attempt. */
interface PushSessions {
  /** Action that uses a session. */
  interface Action {
    /**
     * @param session borrows
     */
    void with(PushSession session) throws IOException, InterruptedException, ClassNotFoundException;
  }

  /** Opens a session, runs the action, and closes the session even if the action fails. */
  void withSession(Action action) throws IOException, InterruptedException, ClassNotFoundException;
}
