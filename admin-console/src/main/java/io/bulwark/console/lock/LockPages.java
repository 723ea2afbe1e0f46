package io.bulwark.console.lock;

import io.bulwark.console.access.SignedIn;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** {@code /locks}. */
@Controller
class LockPages {
    private final SignedIn signedIn;

    LockPages(SignedIn signedIn) {
        this.signedIn = signedIn;
    }

    @GetMapping("/locks")
    String list(Model model) {
        model.addAttribute("locks", LockApi.entries(signedIn));
        return "lock/locks";
    }

    @PostMapping("/locks/release")
    String release(@RequestParam String bucket, @RequestParam(defaultValue = "") String prefix, Model model) {
        signedIn.client().locks().release(bucket, prefix);
        model.addAttribute("locks", LockApi.entries(signedIn));
        return "lock/locks :: list";
    }
}
