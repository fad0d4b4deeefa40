// Command cluster is a Kubernetes control plane and its nodes in one program: the first argument says which part of it
// runs, the rest goes to that part. The parts are those of Kubernetes, etcd and kwok, as they are; kwok stands for
// the kubelets, so pods become ready and nothing runs in them. deploy/helm/check-live builds and runs it.
package main

import (
	"fmt"
	"net"
	"os"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/client-go/util/cert"
	"k8s.io/component-base/cli"
	kubectl "k8s.io/kubectl/pkg/cmd"
	kubectlutil "k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kwokconfig "sigs.k8s.io/kwok/pkg/config"
	kwok "sigs.k8s.io/kwok/pkg/kwok/cmd"
	kwoklog "sigs.k8s.io/kwok/pkg/log"
	"sigs.k8s.io/kwok/pkg/utils/signals"
)

const usage = "usage: cluster etcd|apiserver|controllers|scheduler|nodes|kubectl|certificate|ports ARGUMENT..."

func main() {
	if len(os.Args) < 2 {
		fail(usage)
	}
	part := os.Args[1]
	// What runs finds its own arguments where it would without this program.
	os.Args = append([]string{part}, os.Args[2:]...)
	switch part {
	case "etcd":
		etcdmain.Main(os.Args)
	case "apiserver":
		exit(apiserver.NewAPIServerCommand())
	case "controllers":
		exit(controllers.NewControllerManagerCommand())
	case "scheduler":
		exit(scheduler.NewSchedulerCommand())
	case "nodes":
		nodes()
	case "kubectl":
		if err := cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()); err != nil {
			kubectlutil.CheckErr(err)
		}
	case "certificate":
		certificate(os.Args[1:])
	case "ports":
		ports(os.Args[1:])
	default:
		fail(usage)
	}
}

func exit(command *cobra.Command) {
	os.Exit(cli.Run(command))
}

// nodes runs kwok, whose flags are read in two steps.
func nodes() {
	flags := pflag.NewFlagSet("global", pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = true
	flags.Usage = func() {}
	ctx, _ := kwoklog.InitFlags(signals.SetupSignalContext(), flags)
	ctx, err := kwokconfig.InitFlags(ctx, flags)
	if err != nil {
		fail(err.Error())
	}
	// Kubernetes has put a flag --version there, which is another one than kwok's.
	pflag.CommandLine = pflag.NewFlagSet("nodes", pflag.ContinueOnError)
	command := kwok.NewCommand(ctx)
	command.PersistentFlags().AddFlagSet(flags)
	if err := command.ExecuteContext(ctx); err != nil {
		fail(err.Error())
	}
}

// certificate writes a certificate for the loopback address, which is its own authority's, and its key, to two files.
func certificate(arguments []string) {
	if len(arguments) != 2 {
		fail("usage: cluster certificate CERTIFICATE_FILE KEY_FILE")
	}
	chain, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", nil, []string{"kubernetes.default.svc"})
	if err != nil {
		fail(err.Error())
	}
	for name, content := range map[string][]byte{arguments[0]: chain, arguments[1]: key} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			fail(err.Error())
		}
	}
}

// ports prints as many ports as are asked for, which nobody listens on at the moment.
func ports(arguments []string) {
	if len(arguments) != 1 {
		fail("usage: cluster ports COUNT")
	}
	count, err := strconv.Atoi(arguments[0])
	if err != nil {
		fail(err.Error())
	}
	for range count {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			fail(err.Error())
		}
		// Kept until the end, so that no port comes twice.
		defer listener.Close()
		fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	}
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, "cluster: "+message)
	os.Exit(1)
}
