package io.bulwark.console.volume;

import io.bulwark.client.error.BulwarkException;
import io.bulwark.console.http.ApiException;
import io.bulwark.console.http.Failures;
import io.bulwark.console.page.Redirection;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.ModelAndView;

/** Pages of volumes. */
@Controller
@RequestMapping("/volumes")
class VolumePages {
    private final Volumes volumes;

    VolumePages(Volumes volumes) {
        this.volumes = volumes;
    }

    @GetMapping
    String list(Model model) {
        model.addAttribute("volumes", volumes.list());
        return "volume/list";
    }

    @GetMapping("/-new") // No name begins so.
    String form(Model model) {
        model.addAttribute("form", new VolumeForm());
        return "volume/new";
    }

    @GetMapping("/-advice")
    String advice(
            @RequestParam(required = false) @Nullable Integer nodes,
            @RequestParam(defaultValue = "1") int faults,
            @RequestParam(defaultValue = "0.99") double availability,
            @RequestParam(defaultValue = "1e-6") double target,
            @RequestParam(required = false) @Nullable Double price,
            Model model) {
        int count = nodes == null ? volumes.nodes() : nodes;
        model.addAttribute("nodes", count);
        model.addAttribute("faults", faults);
        model.addAttribute("availability", availability);
        model.addAttribute("target", target);
        model.addAttribute("price", price);
        try {
            model.addAttribute("advice", AdviceView.of(count, faults, availability, target, price));
            model.addAttribute("plot", AdvicePlot.of(count, faults, availability, target));
        } catch (ApiException e) {
            model.addAttribute("problem", e.detail());
        }
        return "volume/advice";
    }

    @PostMapping
    ModelAndView create(VolumeForm form) {
        try {
            volumes.create(form.creation());
            return new ModelAndView(Redirection.to("/volumes/{name}", form.getName()));
        } catch (ApiException e) {
            return refused(form, e.status(), e.detail());
        } catch (BulwarkException e) {
            return refused(form, Failures.statusOf(e), String.valueOf(e.getMessage()));
        }
    }

    @GetMapping("/{name}")
    String find(@PathVariable String name, Model model) {
        model.addAttribute("detail", volumes.find(name));
        return "volume/volume";
    }

    @PostMapping("/{name}/faults")
    ModelAndView change(
            @PathVariable String name,
            @RequestParam int faults,
            @RequestParam(required = false) @Nullable Integer faultsMax,
            @RequestParam(required = false) @Nullable Integer fragments) {
        volumes.change(name, new Volumes.Change(faults, faultsMax, null, fragments), null);
        return new ModelAndView(Redirection.to("/volumes/{name}", name));
    }

    @PostMapping("/{name}/refill")
    ModelAndView refill(@PathVariable String name) {
        volumes.refill(name);
        return new ModelAndView(Redirection.to("/jobs"));
    }

    @PostMapping("/{name}/delete")
    ModelAndView delete(@PathVariable String name, @RequestParam String confirmation) {
        if (!confirmation.equals(name)) {
            throw ApiException.badField(
                    "confirmation", "the name that was typed is not " + name + "; nothing was deleted");
        }
        volumes.delete(name, null);
        return new ModelAndView(Redirection.to("/volumes"));
    }

    private static ModelAndView refused(VolumeForm form, HttpStatus status, String problem) {
        ModelAndView page = new ModelAndView("volume/new");
        page.setStatus(status);
        page.addObject("form", form);
        page.addObject("problem", problem);
        return page;
    }
}
