package io.bulwark.console.release;

import io.bulwark.console.access.SignedIn;
import java.util.List;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** {@code /releases}. */
@Controller
class ReleasePages {
    private final SignedIn signedIn;

    ReleasePages(SignedIn signedIn) {
        this.signedIn = signedIn;
    }

    @GetMapping("/releases")
    String page(Model model) {
        fill(model);
        return "release/releases";
    }

    @PostMapping("/releases/allow")
    String allow(@RequestParam String hash, Model model) {
        signedIn.client().releases().allow(ReleaseApi.checked(hash));
        fill(model);
        return "release/releases :: list";
    }

    @GetMapping("/releases/{hash}/removal")
    String dialog(@PathVariable String hash, Model model) {
        model.addAttribute("hash", ReleaseApi.checked(hash));
        model.addAttribute("left", signedIn.client().releases().allowed().size() - 1);
        return "release/releases :: removal";
    }

    @PostMapping("/releases/{hash}/forget")
    String forget(@PathVariable String hash, Model model) {
        signedIn.client().releases().forget(ReleaseApi.checked(hash));
        fill(model);
        return "release/releases :: list";
    }

    private void fill(Model model) {
        List<String> allowed = signedIn.client().releases().allowed();
        model.addAttribute("releases", allowed);
    }
}
