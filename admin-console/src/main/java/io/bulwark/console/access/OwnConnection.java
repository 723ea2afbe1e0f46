package io.bulwark.console.access;

import io.bulwark.client.Bulwark;
import jakarta.servlet.http.HttpSessionBindingEvent;
import jakarta.servlet.http.HttpSessionBindingListener;

/**
 * A connection that the key of a person opened. It ends with the session that it is bound to, and so does what the person began and
 * what still runs.
 *
 * @param closed runs once after the connection is closed
 */
record OwnConnection(Bulwark client, Runnable closed) implements HttpSessionBindingListener {
    /** Name of the session's attribute. */
    static final String ATTRIBUTE = "own-connection";

    @Override
    public void valueUnbound(HttpSessionBindingEvent event) {
        client.close();
        closed.run();
    }
}
