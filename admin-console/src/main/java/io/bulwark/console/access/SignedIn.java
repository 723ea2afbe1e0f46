package io.bulwark.console.access;

import io.bulwark.client.Bulwark;
import org.springframework.stereotype.Component;

/** The person who sent the current request. */
@Component
public class SignedIn {
    private final Bulwark door;

    SignedIn(Bulwark door) {
        this.door = door;
    }

    /** Returns the client whose commands name this person: replicas judge them by the person's rights. */
    public Bulwark client() {
        return door;
    }

    /** Returns the name under which this person signed in. */
    public String name() {
        return "operator";
    }
}
