package org.apache.hadoop.mapred;

import io.sluice.client.push.PushSession;
import java.io.IOException;

/** The way to the servers for the output of one map attempt. */
interface PushSessions {
  /** Something to do with a session. */
  interface Use {
    /**
     * @param session borrows
     */
    void with(PushSession session) throws IOException, InterruptedException, ClassNotFoundException;
  }

  /** Opens a session, and closes it when the use ends, whatever the end. */
  void use(Use use) throws IOException, InterruptedException, ClassNotFoundException;
}
